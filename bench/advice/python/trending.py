"""The three words that are used most, after each message."""
counts = {}
words = [f"word{i * i % 400}" for i in range(4000)]
shown = 0
for i, word in enumerate(words):
    counts[word] = counts.get(word, 0) + 1
    if i % 4 == 0:
        for name, count in sorted(counts.items(), key=lambda item: -item[1])[:3]:  # here: list-copies
            shown += count
print(shown)
