import type {
  ResearchSettings,
  ResearchSettingsChange,
  ResearchStart,
} from '@trellis/contract/shapes/deep-research.ts';
import type { Job, JobWithLog } from '@trellis/contract/shapes/job.ts';
import { ChatClient } from './chat-client.ts';
import type { CallOptions } from './transport.ts';

/** Questions that are studied at length; settings and cancellation are for administrators. */
export class DeepResearchClient extends ChatClient {
  /** In a chat of the caller's own, where the report comes; `watchJob` and `cancelJob` take the id of the job. */
  startDeepResearch(start: ResearchStart, options?: CallOptions): Promise<JobWithLog> {
    return this.post('/api/chatai/deep-research/start', start, options);
  }

  /** The job of the research that is under way or waiting in a chat of the caller's own; else `research_not_found`. */
  getDeepResearch(chatUID: string, options?: CallOptions): Promise<JobWithLog> {
    const path = `/api/chatai/chats/${encodeURIComponent(chatUID)}/deep-research`;
    return this.get(path, options);
  }

  /** Limits, researchers, and what is under way and waiting. */
  getResearchSettings(options?: CallOptions): Promise<ResearchSettings> {
    return this.get('/api/chatai/deep-research/settings', options);
  }

  /** What is left out stays; a limit of zero, or no researchers, brings back the default. */
  putResearchSettings(
    change: ResearchSettingsChange,
    options?: CallOptions,
  ): Promise<ResearchSettings> {
    return this.post('/api/chatai/deep-research/settings', change, options);
  }

  /** Anybody's; the job ends a moment later. */
  cancelDeepResearch(chatUID: string, options?: CallOptions): Promise<Job> {
    const path = '/api/chatai/deep-research/cancel';
    return this.transport.json({ method: 'POST', path, query: { chatUID }, ...options });
  }
}
