import type { Caller } from '#access/caller.ts';
import type {
  FileUpload,
  NamedFileEntry,
  NewFileUpload,
  NodeFile,
} from '@trellis/contract/shapes/file.ts';
import type { List, Page } from '@trellis/contract/shapes/list.ts';
import type { UploadWriter } from './upload-writer.ts';
import type { Awaitable } from './answer.ts';

/** Files of nodes. What the caller does not see is `node_not_found`, `file_not_found`, `upload_not_found`. */
export interface FileService {
  list(caller: Caller, node: string, page: Page): Awaitable<List<NodeFile>>;
  get(caller: Caller, uid: string): Awaitable<NodeFile>;
  open(caller: Caller, uid: string): Awaitable<OpenFile>;
  delete(caller: Caller, uid: string, address: string): Promise<void>;
  /** Before a file is read. Throws `invalid_request`, `too_many_files`. */
  checkTarget(caller: Caller, node: string): Awaitable<void>;
  /** Throws the same, and `file_exists`. */
  upload(
    caller: Caller,
    node: string,
    file: { readonly name: string; readonly contentType: string },
    address: string,
  ): UploadWriter<NamedFileEntry>;
  /** Throws as `upload` does. */
  beginUpload(caller: Caller, node: string, upload: NewFileUpload): Promise<FileUpload>;
  getUpload(caller: Caller, id: string): Awaitable<FileUpload>;
  /** What has arrived is kept, also when `bytes` ends with an error. Throws `upload_conflict`, and as `upload` does. */
  append(
    sender: { readonly caller: Caller; readonly address: string },
    id: string,
    offset: number,
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<FileUpload>;
  /** Also while bytes arrive for it. */
  deleteUpload(caller: Caller, id: string): Promise<void>;
}

export interface OpenFile {
  readonly file: NodeFile;
  /** The bytes from `from` up to and without `to`. Throws when they are gone meanwhile. */
  read(from: number, to: number): AsyncIterable<Uint8Array>;
}
