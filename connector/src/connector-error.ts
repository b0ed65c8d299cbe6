/** What stops a run that is not a refusal of the workspace itself. */
export type ConnectorErrorCode =
  /** Another run has the state open. */
  | 'state_in_use'
  /** The file is the state of another connector, or of a newer version of this kit. */
  | 'state_mismatch'
  /** A row became more operations than one commit holds. */
  | 'row_too_large'
  /** The workspace refused an operation of a row, and `onInvalidRow` is `stop`. */
  | 'row_rejected'
  /**
   * So much of what earlier runs brought is missing in the source that it looks like a failure
   * there.
   */
  | 'too_many_removals'
  /** The source could not be read, or says something that makes no sense. */
  | 'source_failed';

/** A run that was stopped; what was committed before stays, and the next run goes on from there. */
export class ConnectorError extends Error {
  override readonly name = 'ConnectorError';
  readonly code: ConnectorErrorCode;
  /** The row that it is about. */
  readonly row: string | undefined;

  constructor(
    code: ConnectorErrorCode,
    message: string,
    options: { readonly row?: string; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.row = options.row;
  }
}
