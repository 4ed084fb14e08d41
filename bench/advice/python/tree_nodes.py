"""A search tree."""
import random


class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None
        self.height = 1


class Tree:
    def __init__(self):
        self.root = None

    def insert(self, key):
        node = Node(key)  # here: attribute-dicts
        if self.root is None:
            self.root = node
            return
        at = self.root
        while True:
            side = "left" if key < at.key else "right"
            below = getattr(at, side)
            if below is None:
                setattr(at, side, node)
                return
            at = below


random.seed(1)
tree = Tree()
for _ in range(10000):
    tree.insert(random.random())
print(tree.root.key)
