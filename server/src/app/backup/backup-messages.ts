import type { BackupHeader } from '#backup/backup-header.ts';
import type { RetentionRule } from '#backup/retention.ts';
import type { TargetSettings } from './open-target.ts';

/** What a thread that works for backups is started with. It runs no user code. */
export interface BackupPlace {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  readonly target: TargetSettings;
  readonly retention: RetentionRule;
  readonly version: string;
  /** Of `Followers`: how far the state is. */
  readonly followers: SharedArrayBuffer;
}

/** What is told while it works. */
export type BackupStep =
  | { readonly kind: 'progress'; readonly progress: number; readonly step: string }
  | { readonly kind: 'log'; readonly text: string };

/** One at a time. */
export interface BackupCalls {
  run(given: undefined, step: BackupStep): BackupHeader;
  verify(id: string, step: BackupStep): void;
  remove(id: string, step: BackupStep): void;
  /** Nothing more will be asked for: the thread ends. */
  end(): void;
}
