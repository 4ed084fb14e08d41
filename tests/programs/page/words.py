# Counts words, and makes a list of all of them for each line.
import sys


def words_of(line):
    return line.split(" ")


def count(lines):
    counts = {}
    for line in lines:
        for word in words_of(line):
            counts[word] = counts.get(word, 0) + 1
    return counts


text = " ".join(f"word{number}-that-is-long-enough" for number in range(60))
sys.stdout.write(f"{len(count(text for _ in range(1500)))}\n")
