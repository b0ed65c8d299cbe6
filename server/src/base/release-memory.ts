/** What is smaller costs less as garbage than its release. */
const RELEASED_BYTES_MIN = 16 * 1024;

/**
 * Gives the memory of bytes back at once; nobody may use them any more, nor a view of them. Nothing
 * happens when their buffer holds more than them and `besideBytes`, for that may be somebody
 * else's.
 *
 * What is never released is collected in the end. But V8 begins a collection for every few
 * megabytes that lie outside its heap, so with large buffers that come one after the other it does
 * little else.
 */
export function releaseMemory({ buffer, length }: Uint8Array, besideBytes = 0): void {
  if (length < RELEASED_BYTES_MIN || buffer.byteLength > length + besideBytes) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
