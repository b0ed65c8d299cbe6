import { join } from 'node:path';
import { type AuditEvent, type AuditTrail, deed, type Doer } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { type BackupHeader, listHeaders } from '#backup/backup-header.ts';
import { BackupService, type StartedBackup } from '#backup/backup-service.ts';
import type { BackupTarget } from '#backup/backup-target.ts';
import { BACKUP_LOG_LOOK_INTERVAL_MS } from '#base/backup-limits.ts';
import { Problem } from '#base/problem.ts';
import type { HttpServices } from '#http/services.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { Followers, FollowerSlot } from '#log/followers.ts';
import { readLogManifest } from '#log/log-manifest.ts';
import type { Backup } from '@trellis/contract/shapes/backup.ts';
import { SERVER } from '../endpoint-files.ts';
import { VERSION } from '../server-status.ts';
import type { WorkspaceOptions } from '../workspace.ts';
import { BackupThread } from './backup-thread.ts';
import { openTarget, type TargetSettings, targetSettings } from './open-target.ts';

type BackupOptions = Pick<
  WorkspaceOptions,
  'storage' | 'startFolder' | 'config' | 'secrets' | 'logger'
>;

export interface BackupParts {
  readonly followers: Followers;
  readonly audit: AuditTrail;
  readonly jobs: JobRegistry;
}

/** The backups of a primary. */
export interface OpenBackups extends AsyncDisposable {
  readonly http: HttpServices['backups'];
  /**
   * Begins one, for whoever has it done at certain times. Throws `no_backup_target`,
   * `backup_running`.
   */
  start(): StartedBackup;
  /** Ends one that was begun. */
  cancel(jobId: string): void;
}

export function openBackups(
  options: BackupOptions,
  { followers, audit, jobs }: BackupParts,
): OpenBackups {
  const { config, secrets, startFolder } = options;
  const isConfigured = config.backup.target !== null;
  const configured = isConfigured
    ? configure(options, followers, targetSettings(config, secrets, startFolder))
    : undefined;
  if (configured === undefined) followers.release('backups');
  const service = new BackupService({
    configured,
    jobs,
    onChange: () => configured?.hold.refresh(),
  });
  return {
    start: () => service.run(),
    cancel: (jobId) => {
      if (jobs.underWay().some(({ id }) => id === jobId)) jobs.cancel(SERVER, jobId);
    },
    http: httpBackups(service, configured?.target.name ?? null, audit),
    [Symbol.asyncDispose]: async () => {
      configured?.hold[Symbol.dispose]();
      await configured?.work[Symbol.asyncDispose]();
    },
  };
}

function configure(options: BackupOptions, followers: Followers, settings: TargetSettings) {
  const { config, storage, secrets } = options;
  const target = openTarget(settings);
  const work = new BackupThread({
    storage,
    masterKey: secrets.graphMasterKey,
    target: settings,
    retention: config.backup.keep,
    version: VERSION,
    followers: followers.buffer,
  });
  return { target, work, hold: holdLog(options, followers, target) };
}

function holdLog(
  { storage, logger }: BackupOptions,
  followers: Followers,
  target: BackupTarget,
): LogHold {
  return new LogHold({
    position: followers.of('backups'),
    newest: async () => {
      const epoch = (await readLogManifest(join(storage, 'log')))?.epoch;
      const headers = await listHeaders(target);
      return headers.find((header) => header.epoch === epoch)?.sequence;
    },
    onNote: (text) => logger.warn(text),
  });
}

interface LogHoldOptions {
  /** The slot of backups among those who follow the log. */
  readonly position: FollowerSlot;
  /**
   * The sequence of the newest backup of this history; undefined while there is none. Rejects while
   * nobody can tell.
   */
  readonly newest: () => Promise<number | undefined>;
  readonly onNote: (text: string) => void;
}

/**
 * Keeps the log after the newest backup, so that the next one reads only what has changed, and has
 * the commits between the two; but not at any cost of room: whoever trims the log says when it is
 * too much.
 */
class LogHold implements Disposable {
  readonly #options: LogHoldOptions;
  readonly #timer: NodeJS.Timeout;
  #isKnown = false;
  #isGivenUp = false;

  constructor(options: LogHoldOptions) {
    this.#options = options;
    // The whole log, until it is known what the target has.
    options.position.needs(0);
    this.#timer = setInterval(() => void this.#look(), BACKUP_LOG_LOOK_INTERVAL_MS);
    this.refresh();
  }

  /** There is another backup, or one less. */
  refresh(): void {
    this.#isKnown = false;
    void this.#look();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    this.#tellIfDropped();
    if (this.#isKnown) return;
    const { position, newest } = this.#options;
    try {
      const after = await newest();
      this.#isKnown = true;
      this.#isGivenUp = false;
      position.reached(after ?? 0);
      position.needs(after);
    } catch {
      // The target cannot be read now; who asks it for something is told. The next look tries
      // again.
    }
  }

  #tellIfDropped(): void {
    if (!this.#options.position.isDropped || this.#isGivenUp) return;
    this.#isGivenUp = true;
    this.#options.onNote(
      'the log takes too much room to be kept for the next backup: that one reads the whole state, and points before it cannot be restored',
    );
  }
}

/** Codes of refusals, after which nothing was done: they are not audited. */
const REFUSALS = ['no_backup_target', 'backup_running', 'backup_not_found'];

/**
 * Backups as people and their scripts ask for them: who did is in the audit. It is written soon
 * after the deed, which is none of the graph. `target` is null where there is nowhere to keep them.
 */
function httpBackups(
  service: BackupService,
  target: string | null,
  audit: AuditTrail,
): HttpServices['backups'] {
  return {
    list: async (page) => {
      if (target === null) return { items: [], total: 0, ...page, target };
      const { items, ...rest } = await service.list(page);
      return { items: items.map(present), ...rest, target };
    },
    run: (caller, address) => {
      const { job } = service.run();
      const about = { kind: 'job', id: job.id };
      audit.record(deed('backup.run', { caller, address }, about, tokenOf(caller)));
      return job;
    },
    verify: async (caller, id, address) => {
      const job = await service.verify(id);
      const details = { jobId: job.id, ...tokenOf(caller) };
      audit.record(deed('backup.verification-run', { caller, address }, backup(id), details));
      return job;
    },
    remove: async (caller, id, address) => {
      const deleted = deletionOf(id, { caller, address });
      try {
        await service.remove(id);
      } catch (error) {
        const code = error instanceof Problem ? error.code : 'internal_error';
        const details = { ...deleted.details, code };
        // Some of it may be gone.
        if (!REFUSALS.includes(code)) audit.record({ ...deleted, outcome: 'failure', details });
        throw error;
      }
      audit.record(deleted);
    },
  };
}

function deletionOf(id: string, doer: Doer): AuditEvent {
  return deed('backup.deleted', doer, backup(id), tokenOf(doer.caller));
}

function backup(id: string) {
  return { kind: 'backup', id };
}

/** Scripts come with tokens that are no user's: the id says which. */
function tokenOf({ kind, tokenId }: Caller): { readonly token?: string } {
  return kind === 'session' ? {} : { token: tokenId };
}

function present(header: BackupHeader): Backup {
  const { format: _format, contents: _contents, snapshotSequence: _of, ...shown } = header;
  return shown;
}
