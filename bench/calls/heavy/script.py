# SPDX-License-Identifier: BSD-3-Clause
"""Dictionaries, strings, sorting, recursion and objects: an ordinary script."""


class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None

    def insert(self, key):
        side = 'left' if key < self.key else 'right'
        child = getattr(self, side)
        if child is None:
            setattr(self, side, Node(key))
        else:
            child.insert(key)

    def walk(self):
        if self.left:
            yield from self.left.walk()
        yield self.key
        if self.right:
            yield from self.right.walk()


def words(count):
    state = 12345
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        yield 'w%d' % (state // 1000 % 5000)


def main():
    counts = {}
    for word in words(200000):
        counts[word] = counts.get(word, 0) + 1
    top = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:3]
    root = Node('w2500')
    for word in words(20000):
        root.insert(word)
    text = ','.join(root.walk())
    print(top, len(text), text.replace('w', '').count('12'))


for _ in range(4):
    main()
