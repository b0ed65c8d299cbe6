import type { BackupHeader } from '#backup/backup-header.ts';
import type { RetentionRule } from '#backup/retention.ts';
import type { ThreadFailure } from '../thread-failure.ts';
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

export type BackupRequest =
  | { readonly kind: 'run' }
  | { readonly kind: 'verify'; readonly id: string }
  | { readonly kind: 'remove'; readonly id: string };

export type ToBackup =
  /** One at a time. */
  | { readonly kind: 'do'; readonly request: BackupRequest }
  | { readonly kind: 'cancel' }
  /** Nothing more will be asked for. */
  | { readonly kind: 'end' };

export type FromBackup =
  | { readonly kind: 'progress'; readonly progress: number; readonly step: string }
  | { readonly kind: 'log'; readonly text: string }
  | { readonly kind: 'done'; readonly header: BackupHeader | undefined }
  | { readonly kind: 'failed'; readonly failure: ThreadFailure };
