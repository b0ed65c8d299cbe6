import type { AuditEvent, AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { deed, type Doer } from '#access/deed.ts';
import type { BackupHeader } from '#backup/backup-header.ts';
import type { BackupService } from '#backup/backup-service.ts';
import { Problem } from '#base/problem.ts';
import type { Backup } from '@trellis/contract/shapes/backup.ts';
import type { HttpServices } from '#http/services.ts';

/** With these nothing was done: they leave no trace. */
const REFUSALS = ['no_backup_target', 'backup_running', 'backup_not_found'];

/**
 * Backups as people and their scripts ask for them: who did is in the audit. It is written soon
 * after the deed, which is none of the graph. `target` is null where there is nowhere to keep them.
 */
export function httpBackups(
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
