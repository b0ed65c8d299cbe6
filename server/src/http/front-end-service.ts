/** The files of the browser application, and what its pages are told of the other servers. */
export interface FrontEndService {
  /** By its path, such as `/index.html`, percent-encoded as a URL has it; undefined when there is none. */
  file(path: string): FrontEndFile | undefined;
  /** `MSKREPLICAURLS`: URLs of servers to read from, with ";" between them (specification, section 2.9). */
  replicaUrls(): string;
}

export interface FrontEndFile {
  readonly bytes: Buffer;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly digest: string;
}
