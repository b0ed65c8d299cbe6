import { join } from 'node:path';
import type { AuditTrail } from '#access/audit-event.ts';
import { listHeaders } from '#backup/backup-header.ts';
import { BackupService, type StartedBackup } from '#backup/backup-service.ts';
import type { BackupTarget } from '#backup/backup-target.ts';
import type { HttpServices } from '#http/services.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import { readManifest } from '#log/manifest.ts';
import type { OpenStorage } from '../open-storage.ts';
import { VERSION } from '../server-status.ts';
import type { WorkspaceOptions } from '../workspace.ts';
import { SERVER } from '../endpoint-files.ts';
import { BackupThread } from './backup-thread.ts';
import { httpBackups } from './http-backups.ts';
import { LogHold } from './log-hold.ts';
import { openTarget, type TargetSettings } from './open-target.ts';
import { targetSettings } from './target-settings.ts';

/** What a primary has its backups made of. */
export interface BackupOptions extends Pick<
  WorkspaceOptions,
  'storage' | 'startFolder' | 'config' | 'secrets' | 'logger'
> {
  readonly opened: Pick<OpenStorage, 'followers'>;
  readonly audit: AuditTrail;
}

/** The backups of a primary. */
export interface OpenBackups extends AsyncDisposable {
  readonly http: HttpServices['backups'];
  /** Begins one, for whoever has it done at certain times. Throws `no_backup_target`, `backup_running`. */
  start(): StartedBackup;
  /** Ends one that was begun. */
  cancel(jobId: string): void;
}

export function openBackups(options: BackupOptions, jobs: JobRegistry): OpenBackups {
  const { config, secrets, startFolder } = options;
  const isConfigured = config.backup.target !== null;
  const configured = isConfigured
    ? configure(options, targetSettings(config, secrets, startFolder))
    : undefined;
  if (configured === undefined) options.opened.followers.release('backups');
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
    http: httpBackups(service, configured?.target.name ?? null, options.audit),
    [Symbol.asyncDispose]: async () => {
      configured?.hold[Symbol.dispose]();
      await configured?.work[Symbol.asyncDispose]();
    },
  };
}

function configure(options: BackupOptions, settings: TargetSettings) {
  const { config, storage, secrets, opened } = options;
  const target = openTarget(settings);
  const work = new BackupThread({
    storage,
    masterKey: secrets.graphMasterKey,
    target: settings,
    retention: config.backup.keep,
    version: VERSION,
    followers: opened.followers.buffer,
  });
  return { target, work, hold: holdLog(options, target) };
}

function holdLog({ storage, opened, logger }: BackupOptions, target: BackupTarget): LogHold {
  return new LogHold({
    position: opened.followers.of('backups'),
    newest: async () => {
      const epoch = (await readManifest(join(storage, 'log')))?.epoch;
      const headers = await listHeaders(target);
      return headers.find((header) => header.epoch === epoch)?.sequence;
    },
    onNote: (text) => logger.warn(text),
  });
}
