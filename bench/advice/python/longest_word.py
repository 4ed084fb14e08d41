"""The longest word of texts, by a list of all their lengths."""
texts = ["the quick brown fox jumps over the lazy dog and more"] * 50


def longest(text):
    return max([len(word) for word in text.split()])  # here: list-consumed here: splits also: list-consumed also: splits


print(sum(longest(text) for _ in range(100) for text in texts))
