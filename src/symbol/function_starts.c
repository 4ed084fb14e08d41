/* .eh_frame_hdr is a sorted table of pairs, four bytes each, relative to its own address: where a
 * function begins, and where its entry in .eh_frame is.  The table alone would give the code of an
 * assembler, which has no entry, to the function before it; so libdw is asked whether an entry
 * covers the address. */
#include "base/array.h"
#include "symbol/function_starts.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER_BYTES = 12, /* version, three encodings, pointer, count */
    PAIR_BYTES = 8,
    TABLE_ENCODING = DW_EH_PE_datarel | DW_EH_PE_sdata4, /* what all linkers write */
    SIZE_MASK = 0x0f,
};

static uint32_t number_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static bool find_header(Elf *elf, GElf_Phdr *header)
{
    size_t count;
    if (elf_getphdrnum(elf, &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (gelf_getphdr(elf, (int)i, header) && header->p_type == PT_GNU_EH_FRAME)
            return true;
    return false;
}

static bool has_four_bytes(uint8_t encoding)
{
    return (encoding & SIZE_MASK) == DW_EH_PE_sdata4 || (encoding & SIZE_MASK) == DW_EH_PE_udata4;
}

static void find_table(struct function_starts *starts, Elf *elf)
{
    GElf_Phdr header;
    const char *identity = elf_getident(elf, NULL);
    if (!identity || identity[EI_DATA] != ELFDATA2LSB || !find_header(elf, &header))
        return;
    Elf_Data *data =
        elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz, ELF_T_BYTE);
    if (!data || data->d_size < HEADER_BYTES)
        return;
    const uint8_t *bytes = data->d_buf;
    if (bytes[0] != 1 || !has_four_bytes(bytes[1]) || !has_four_bytes(bytes[2]) ||
        bytes[3] != TABLE_ENCODING)
        return;
    size_t room = (data->d_size - HEADER_BYTES) / PAIR_BYTES;
    size_t count = number_at(bytes + 8);
    starts->table = bytes + HEADER_BYTES;
    starts->count = count < room ? count : room;
    starts->base = header.p_vaddr;
}

void function_starts_init(struct function_starts *starts, const struct debug_file *file)
{
    *starts = (struct function_starts){0};
    /* A separate debug file has the headers of the tables, not the tables. */
    if (file->debug_only || !file->elf)
        return;
    find_table(starts, file->elf);
    if (starts->count > 0)
        starts->frames = dwarf_getcfi_elf(file->elf);
}

void function_starts_release(struct function_starts *starts)
{
    if (starts->frames)
        dwarf_cfi_end(starts->frames);
    *starts = (struct function_starts){0};
}

static uint64_t start_at(const struct function_starts *starts, size_t i)
{
    return starts->base + (uint64_t)(int64_t)(int32_t)number_at(starts->table + i * PAIR_BYTES);
}

static bool is_covered(const struct function_starts *starts, uint64_t address)
{
    Dwarf_Frame *frame = NULL;
    bool covered = dwarf_cfi_addrframe(starts->frames, address, &frame) == 0;
    free(frame);
    return covered;
}

bool function_starts_find(const struct function_starts *starts, uint64_t address, uint64_t *start)
{
    if (!starts->frames || !is_covered(starts, address))
        return false;
    size_t low = ARRAY_SEARCH(middle, starts->count, start_at(starts, middle) <= address);
    if (low == 0)
        return false;
    *start = start_at(starts, low - 1);
    return true;
}
