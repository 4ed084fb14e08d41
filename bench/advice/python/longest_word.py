"""The longest word of texts, by a list of all their lengths."""
texts = ["the quick brown fox jumps over the lazy dog and more"] * 50


def longest(text):
    return max([len(word) for word in text.split()])  # here: list-consumed also: list-consumed


print(sum(longest(text) for _ in range(100) for text in texts))
