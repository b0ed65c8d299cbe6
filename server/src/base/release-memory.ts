/** A smaller buffer costs less as garbage than to release. */
const RELEASED_BYTES_MIN = 16 * 1024;

/**
 * Frees the memory of bytes at once. Nobody may use them, or a view of them, after that. Nothing
 * happens when their buffer has more than them and `besideBytes`, because others may use the rest.
 *
 * The garbage collector frees such memory too. But V8 starts a collection for every few megabytes
 * outside its heap, so with many large buffers it would do little else.
 */
export function releaseMemory({ buffer, length }: Uint8Array, besideBytes = 0): void {
  if (length < RELEASED_BYTES_MIN || buffer.byteLength > length + besideBytes) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
