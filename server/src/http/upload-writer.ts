/** One file that arrives: `end` makes it whole; where that, or anything before it, fails, `abort` has to follow and leaves nothing. */
export interface UploadWriter<Entry> {
  /** Resolves when more may come. */
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<Entry>;
  abort(): Promise<void>;
}
