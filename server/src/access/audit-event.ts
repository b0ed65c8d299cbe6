import type { WriterOperation } from '#graph/operations.ts';
import type { Caller } from './caller.ts';

/** The kind of an event: area and deed, with a dot between. Stable: administrators filter by it. */
export type AuditAction =
  | 'login.succeeded'
  | 'login.failed'
  | 'login.ended'
  | 'password.changed'
  | 'password.reset-requested'
  | 'password.reset'
  | 'token.created'
  | 'token.revoked'
  | 'oauth-client.created'
  | 'oauth-client.withdrawn'
  | 'user.created'
  | 'user.changed'
  | 'user.deactivated'
  | 'role.changed'
  | 'team.created'
  | 'team.changed'
  | 'team.deleted'
  | 'team.members-changed'
  | 'access.types-changed'
  | 'access.node-changed'
  | 'access.written'
  | 'node.created'
  | 'node.changed'
  | 'node.deleted'
  | 'node.linked'
  | 'node.merged'
  | 'node.split'
  | 'duplicate.dismissed'
  | 'duplicate.reopened'
  | 'duplicate.rule-changed'
  | 'endpoint.recording-changed'
  | 'secret.set'
  | 'secret.deleted'
  | 'secret.used'
  | 'sso.config-changed'
  | 'ai.providers-changed'
  | 'ai.settings-changed'
  | 'llm.budgets-changed'
  | 'workspace.settings-changed'
  | 'interface.uploaded'
  | 'interface.deleted'
  | 'definitions.imported'
  | 'search.settings-changed'
  | 'search.llm-settings-changed'
  | 'tool.created'
  | 'tool.changed'
  | 'tool.deleted'
  | 'chat.turn'
  | 'chat.feedback-read'
  | 'golden-answers.changed'
  | 'golden-answers.deleted'
  | 'golden-answers.run'
  | 'golden-answers.ended'
  | 'golden-answers.labelled'
  | 'document.extraction-started'
  | 'document.extraction-resumed'
  | 'document.extraction-deleted'
  | 'document.proposal-changed'
  | 'document.approved'
  | 'document.rejected'
  | 'document.retracted'
  | 'research.started'
  | 'research.ended'
  | 'research.settings-changed'
  | 'agent.created'
  | 'agent.changed'
  | 'agent.deleted'
  | 'agent.run'
  | 'task.created'
  | 'task.changed'
  | 'task.deleted'
  | 'task.run'
  | 'trigger.paused'
  | 'trigger.resumed'
  | 'trigger.retried'
  | 'trigger.event-deleted'
  | 'webhook.created'
  | 'webhook.changed'
  | 'webhook.deleted'
  | 'webhook.replayed'
  | 'webhook.tested'
  | 'webhook.secret-changed'
  | 'connector.created'
  | 'connector.changed'
  | 'connector.deleted'
  | 'connector.tested'
  | 'connector.run'
  | 'connector.cancelled'
  | 'migration.created'
  | 'migration.changed'
  | 'migration.restored'
  | 'migration.deleted'
  | 'migration.run'
  | 'migration.dry-run'
  | 'migration.cancelled'
  | 'migration.reset'
  | 'backup.run'
  | 'backup.verification-run'
  | 'backup.deleted'
  | 'file.uploaded'
  | 'file.deleted'
  | 'admin-agent.asked'
  | 'admin-agent.deleted'
  | 'admin-agent.committed'
  | 'admin-agent.rejected'
  | 'search.synonyms-changed'
  | 'schema.changed'
  | 'schema.alias-removed';

/** One security event (specification, section 5). Never holds a secret. */
export interface AuditEvent {
  readonly action: AuditAction;
  /** Who did it; null when nobody is signed in, or a token without a user did. */
  readonly actor: { readonly uid: string; readonly name: string } | null;
  /** Whom or what it was done to: UID of a node, id of a token, name of a provider. */
  readonly target?: { readonly kind: string; readonly id: string; readonly name?: string };
  readonly outcome: 'success' | 'failure';
  /** IP address of the client; null when the server itself did it. */
  readonly address: string | null;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Where security events go. */
export interface AuditTrail {
  /**
   * An operation to put into the (system) commit of the deed itself, so that both happen or
   * neither.
   */
  operation(event: AuditEvent): WriterOperation;
  /**
   * For what changes nothing else: written soon, in the background; a full or read-only storage
   * loses only the event, with a line in the log.
   */
  record(event: AuditEvent): void;
}

/** Who does something, and from which address. */
export interface Doer {
  readonly caller: Caller;
  /** The address of the client; null when it is not known. */
  readonly address: string | null;
}

/** The event of something done to a node. */
export function deed(
  action: AuditAction,
  { caller, address }: Doer,
  target: NonNullable<AuditEvent['target']>,
  details?: AuditEvent['details'],
): AuditEvent {
  const { userUid, userName } = caller;
  return {
    action,
    actor: userUid === null ? null : { uid: userUid, name: userName ?? userUid },
    target,
    outcome: 'success',
    address,
    ...(details === undefined ? {} : { details }),
  };
}
