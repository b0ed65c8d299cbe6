import type { Caller } from '#access/caller.ts';
import type {
  ResearchSettings,
  ResearchSettingsChange,
  ResearchStart,
} from '@trellis/contract/shapes/deep-research.ts';
import type { Job, JobWithLog } from '@trellis/contract/shapes/job.ts';
import type { Awaitable } from './answer.ts';

/** Questions that are studied at length. `address` is that of the client, for the audit. */
export interface DeepResearchService {
  /** Throws `chat_not_found`, `chat_busy`, `chat_limit_reached`, `llm_not_configured`, `research_running`, `research_queue_full`. */
  start(caller: Caller, start: ResearchStart, address: string): Promise<JobWithLog>;
  /** Throws `research_not_found`, also for a chat of somebody else. */
  get(caller: Caller, chatUID: string): Awaitable<JobWithLog>;
  /** Anybody's. Throws `research_not_found`. */
  cancel(caller: Caller, chatUID: string): Awaitable<Job>;
  settings(caller: Caller): Awaitable<ResearchSettings>;
  /** Throws `version_conflict`. */
  putSettings(
    caller: Caller,
    change: ResearchSettingsChange,
    address: string,
  ): Promise<ResearchSettings>;
}
