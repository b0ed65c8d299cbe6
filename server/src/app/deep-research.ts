import type { AuditTrail } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import type { ChatService } from '#assistant/chat/chat-service.ts';
import { ChatStore } from '#assistant/chat/chat-store.ts';
import type { ModelRunner } from '#assistant/model/model-run.ts';
import { DeepResearch } from '#assistant/research/deep-research.ts';
import { ResearchSettings } from '#assistant/research/research-settings.ts';
import type { CallerTools } from '#assistant/tools/caller-tools.ts';
import { must } from '#base/assert.ts';
import { systemClock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { findUser } from '#identity/users.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { Logger } from '#observe/logger.ts';

export interface DeepResearchOptions {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly jobs: JobRegistry;
  readonly logger: Logger;
  readonly chat: ChatService;
  readonly models: ModelRunner;
  readonly callerTools: CallerTools;
  /** The one that is asked when nobody says first. Throws `llm_not_configured`. */
  readonly allowedModels: () => readonly string[];
}

/** Puts together what studies questions at length. */
export function openDeepResearch(options: DeepResearchOptions): DeepResearch {
  const { reader, commits, logger, callerTools, allowedModels } = options;
  return new DeepResearch({
    ...options,
    clock: systemClock,
    store: new ChatStore(reader, commits),
    settings: new ResearchSettings(options),
    model: () => must(allowedModels()[0], 'a model of the provider'),
    tools: (caller, snippets) => callerTools.for(caller, { snippets, isReadOnlyOnly: true }),
    renewed: (caller) => renewedCaller(reader, caller),
    onFault: (err) => logger.error({ err }, 'a research failed'),
  });
}

/** It goes on after the request that began it: what the user may do meanwhile is what their record says now. */
function renewedCaller(reader: GraphReader, caller: Caller): Caller {
  reader.refresh();
  const user = findUser(reader, must(caller.userUid, 'the user of a research'));
  if (user?.active !== true) {
    throw new Problem('forbidden', 'The user who asked for this is not active any more.');
  }
  const { isAdmin, isReadOnlyAdmin, isGuest, roles } = user;
  return { ...caller, isAdmin, isReadOnlyAdmin, isGuest, roles };
}
