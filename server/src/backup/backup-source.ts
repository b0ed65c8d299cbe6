import type { Clock } from '#base/clock.ts';
import type { LogTail } from '#log/log-tail.ts';
import type { SecondReader } from '#store/second-reader.ts';
import type { HoldingReader } from '#store/snapshot-reader.ts';
import type { BackupContents, BackupHeader } from './backup-header.ts';
import type { BackupTarget } from './backup-target.ts';
import type { WorkProgress } from './work-progress.ts';

/**
 * A file beside the state, of which the next backup need not read what the one before has under the
 * same path and digest.
 */
export interface SourceFile {
  readonly path: string;
  /** Undefined where it is known only from the content. */
  readonly digest: string | undefined;
  /** Undefined when it went meanwhile. */
  read(): Promise<Uint8Array | undefined>;
}

/** What a backup is made of. */
export interface BackupSource {
  readonly reader: HoldingReader;
  readonly log: LogTail;
  /** Undefined when there is too little to read for two. */
  readonly second: SecondReader | undefined;
  /** About how large the state is. */
  readonly stateBytes: number;
  /** Resolves once the log can be read up to there. */
  reach(sequence: number): Promise<void>;
  files(): Promise<readonly SourceFile[]>;
}

export interface TakeBackupOptions extends WorkProgress {
  readonly target: BackupTarget;
  readonly source: BackupSource;
  readonly masterKey: string | undefined;
  readonly clock: Clock;
  /** 8 hexadecimal digits that no other backup of the moment has. */
  readonly suffix: string;
  /** The product's. */
  readonly version: string;
}

/** What there is of the backup before, in the same history. */
export interface Former {
  readonly header: BackupHeader;
  readonly contents: BackupContents;
}
