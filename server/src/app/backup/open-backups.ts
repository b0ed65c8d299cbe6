import { join } from 'node:path';
import type { AuditTrail } from '#access/audit-event.ts';
import { listHeaders } from '#backup/backup-header.ts';
import { BackupService, type StartedBackup } from '#backup/backup-service.ts';
import type { BackupTarget } from '#backup/backup-target.ts';
import type { HttpServices } from '#http/services.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { Followers } from '#log/followers.ts';
import { readLogManifest } from '#log/log-manifest.ts';
import { VERSION } from '../server-status.ts';
import type { WorkspaceOptions } from '../workspace.ts';
import { SERVER } from '../endpoint-files.ts';
import { BackupThread } from './backup-thread.ts';
import { httpBackups } from './http-backups.ts';
import { LogHold } from './log-hold.ts';
import { openTarget, type TargetSettings } from './open-target.ts';
import { targetSettings } from './target-settings.ts';

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
