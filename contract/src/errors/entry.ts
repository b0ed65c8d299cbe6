/** One code: its HTTP status, a title for documentation, and what the caller can do about it. */
export interface CatalogueEntry {
  readonly status: number;
  readonly title: string;
  readonly hint: string;
  /** Sent as `Retry-After` unless the problem's details name another number of seconds. */
  readonly retryAfterSeconds?: number;
  /**
   * The server's message names the inside (folders, errors of the system): it is for the log and
   * for whoever starts the server. A caller gets title and hint.
   */
  readonly internal?: true;
}

export type ErrorGroup = Readonly<Record<string, CatalogueEntry>>;
