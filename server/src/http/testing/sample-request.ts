export interface SampleRequest {
  readonly path: string;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly zip?: Uint8Array<ArrayBuffer>;
  /** The one part of a form. */
  readonly file?: { readonly name: string; readonly text: string };
  /** Of a body of any bytes, sent as those that follow none. */
  readonly bytes?: string;
  /** Of a success. */
  readonly status: number;
}
