/* ELF files whose debug sections zstd has compressed, which many builds of libelf cannot read. */
#ifndef SYMBOL_PLAIN_SECTIONS_H
#define SYMBOL_PLAIN_SECTIONS_H

/* A descriptor of the same file with those sections decompressed, in memory; `fd` is then closed.
 * `fd` itself where no section is so compressed, and where one cannot be decompressed. */
int plain_sections(int fd);

#endif
