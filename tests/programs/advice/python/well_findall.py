"""Words that re finds and a Counter takes: most blocks are re's own work space, which an iterator needs as well."""
import collections
import re


def words(text):
    return collections.Counter(re.findall(r"\w+", text))


text = " ".join("word%d" % (i % 300) for i in range(4000))
print(sum(len(words(text)) for _ in range(5)))
