/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads libclang on demand with dlopen, so Bobbin works without it. Owner: the library stays
 * loaded. Threads: one at a time. */
#ifndef BOB_SOURCE_C_CLANG_H
#define BOB_SOURCE_C_CLANG_H

#include <clang-c/Index.h>

#define BOB_CLANG_FUNCTIONS(X)                                                                     \
	X(createIndex)                                                                             \
	X(disposeIndex)                                                                            \
	X(parseTranslationUnit2)                                                                   \
	X(disposeTranslationUnit)                                                                  \
	X(getTranslationUnitCursor)                                                                \
	X(getNumDiagnostics)                                                                       \
	X(getDiagnostic)                                                                           \
	X(disposeDiagnostic)                                                                       \
	X(getDiagnosticSeverity)                                                                   \
	X(getDiagnosticLocation)                                                                   \
	X(getDiagnosticSpelling)                                                                   \
	X(getCString)                                                                              \
	X(disposeString)                                                                           \
	X(getFile)                                                                                 \
	X(File_isEqual)                                                                            \
	X(getFileContents)                                                                         \
	X(getFileName)                                                                             \
	X(getExpansionLocation)                                                                    \
	X(getCursorPrintingPolicy)                                                                 \
	X(PrintingPolicy_setProperty)                                                              \
	X(PrintingPolicy_dispose)                                                                  \
	X(getCursorPrettyPrinted)                                                                  \
	X(getInclusions)                                                                           \
	X(getIncludedFile)                                                                         \
	X(getLocationForOffset)                                                                    \
	X(getRangeStart)                                                                           \
	X(getRangeEnd)                                                                             \
	X(getCursorExtent)                                                                         \
	X(getCursorLocation)                                                                       \
	X(Location_isInSystemHeader)                                                               \
	X(Cursor_isFunctionInlined)                                                                \
	X(isFunctionTypeVariadic)                                                                  \
	X(getCursorKind)                                                                           \
	X(getCursorSpelling)                                                                       \
	X(getCursorDefinition)                                                                     \
	X(getCursorReferenced)                                                                     \
	X(getCanonicalCursor)                                                                      \
	X(getCursorSemanticParent)                                                                 \
	X(getCursorTLSKind)                                                                        \
	X(getCursorLinkage)                                                                        \
	X(Cursor_getStorageClass)                                                                  \
	X(Cursor_getVarDeclInitializer)                                                            \
	X(Cursor_isBitField)                                                                       \
	X(Cursor_isMacroFunctionLike)                                                              \
	X(Cursor_isNull)                                                                           \
	X(getNullCursor)                                                                           \
	X(Cursor_Evaluate)                                                                         \
	X(EvalResult_getKind)                                                                      \
	X(EvalResult_getAsLongLong)                                                                \
	X(EvalResult_dispose)                                                                      \
	X(isExpression)                                                                            \
	X(isStatement)                                                                             \
	X(isDeclaration)                                                                           \
	X(isCursorDefinition)                                                                      \
	X(equalCursors)                                                                            \
	X(equalTypes)                                                                              \
	X(Cursor_getNumArguments)                                                                  \
	X(Cursor_getArgument)                                                                      \
	X(hashCursor)                                                                              \
	X(visitChildren)                                                                           \
	X(getCursorType)                                                                           \
	X(getCursorResultType)                                                                     \
	X(getCanonicalType)                                                                        \
	X(getTypeDeclaration)                                                                      \
	X(getTypedefDeclUnderlyingType)                                                            \
	X(getTypeSpelling)                                                                         \
	X(getPointeeType)                                                                          \
	X(getResultType)                                                                           \
	X(getNumArgTypes)                                                                          \
	X(getArgType)                                                                              \
	X(getArrayElementType)                                                                     \
	X(getArraySize)                                                                            \
	X(getElementType)                                                                          \
	X(isConstQualifiedType)                                                                    \
	X(isVolatileQualifiedType)                                                                 \
	X(Type_getAlignOf)                                                                         \
	X(Type_getSizeOf)                                                                          \
	X(Type_getOffsetOf)                                                                        \
	X(getFieldDeclBitWidth)                                                                    \
	X(Type_visitFields)

struct bob_clang {
#define X(name) __typeof__(&clang_##name) name;
	BOB_CLANG_FUNCTIONS(X)
#undef X
};

/* NULL: no usable libclang was found. */
const struct bob_clang *bob_clang_load(void);

#endif
