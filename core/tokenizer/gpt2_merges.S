/* GPT-2's merge table (resources/gpt2/vocab.bpe) as read-only bytes between two symbols. */
  .section .rodata
  .global headscopeGpt2Merges
  .global headscopeGpt2MergesEnd
headscopeGpt2Merges:
  .incbin HEADSCOPE_GPT2_MERGES
headscopeGpt2MergesEnd:
  .byte 0

/* Without this note the linker would make the program's stack executable. */
  .section .note.GNU-stack, "", %progbits
