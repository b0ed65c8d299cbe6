import type {
  ResearchLimits,
  ResearchSettingsChange,
  Researcher,
} from '@trellis/contract/shapes/deep-research.ts';
import type { Job, JobWithLog } from '@trellis/contract/shapes/job.ts';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import type { Staging } from '#graph/staged-commits.ts';
import type { JobRegistry, RunningJob } from '#jobs/job-registry.ts';
import {
  cancelled,
  type ConversationParts,
  failed,
  ResearchConversation,
  type ResearchEnd,
  succeeded,
} from './research-conversation.ts';
import { type ResearchParts, ResearchRun } from './research-run.ts';
import {
  type OwnResearchSettings,
  RESEARCH_DEFAULTS,
  type ResearchSettings,
} from './research-settings.ts';

export interface DeepResearchParts extends ResearchParts, ConversationParts {
  readonly audit: AuditTrail;
  readonly jobs: JobRegistry;
  readonly settings: ResearchSettings;
  /** The model to ask. Throws `llm_not_configured`. */
  readonly model: () => string;
  /**
   * The caller with the rights that the user has now. Throws a problem when the user is no longer
   * active.
   */
  readonly renewed: (caller: Caller) => Caller;
  /** Called with errors that are the server's own fault. */
  readonly onFault: (error: unknown) => void;
}

/** A waiting or running research, without its question. */
export interface ResearchOverview {
  readonly chatUID: string;
  readonly jobId: string;
  readonly user: { readonly uid: string; readonly name: string };
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly step: string;
}

export interface ResearchSettingsView {
  readonly limits: ResearchLimits;
  readonly defaults: ResearchLimits;
  readonly researchers: readonly Researcher[];
  readonly running: readonly ResearchOverview[];
  readonly queued: readonly ResearchOverview[];
}

export interface StagedResearchSettings {
  ownSettings(): OwnResearchSettings;
  putSettings(caller: Caller, change: ResearchSettingsChange, address: string): Promise<unknown>;
}

interface Research extends Pick<ResearchOverview, 'chatUID' | 'user'> {
  readonly caller: Caller;
  readonly address: string;
  readonly question: string;
  readonly model: string;
  readonly job: RunningJob;
  readonly conversation: ResearchConversation;
  readonly signal: AbortSignal;
  readonly over: PromiseWithResolvers<void>;
}

/**
 * Questions that are studied at length (specification, section 4.6). Each is a job, waits for its
 * turn, and ends as a message in the chat where it was asked. When the process ends, unfinished
 * researches are interrupted: the next start marks them so in the registry of jobs and in the chat.
 */
export class DeepResearch implements AsyncDisposable {
  readonly #parts: DeepResearchParts;
  readonly #queue: ResearchQueue;
  readonly #byChat = new Map<string, Research>();
  readonly #closing = new AbortController();

  constructor(parts: DeepResearchParts) {
    this.#parts = parts;
    this.#queue = new ResearchQueue(() => parts.settings.limits().running);
  }

  /**
   * Rejects with `chat_not_found`, `chat_busy`, `chat_limit_reached`, `llm_not_configured`,
   * `research_running`, `research_queue_full`, and with the problems of the writer.
   */
  async start(
    caller: Caller,
    asked: { readonly chatUID: string; readonly question: string },
    address: string,
  ): Promise<JobWithLog> {
    const { audit, jobs } = this.#parts;
    const research = this.#open(caller, asked, address);
    const { chatUID, conversation, job } = research;
    const target = { kind: 'chat', id: chatUID };
    const event = deed('research.started', { caller, address }, target, { job: job.id });
    try {
      await conversation.begin(audit.operation(event));
    } catch (error) {
      this.#close(research, () => job.end('failed', untold(this.#problemOf(error))));
      throw error;
    }
    void this.#do(research);
    return jobs.get(caller, job.id);
  }

  /** The job of the research in a chat of the caller. Throws `research_not_found`. */
  get(caller: Caller, chatUID: string): JobWithLog {
    const { user, job } = this.#find(chatUID);
    if (user.uid !== caller.userUid) throw notFound();
    return this.#parts.jobs.get(caller, job.id);
  }

  /** Cancels a research of any user; its job ends a moment later. Throws `research_not_found`. */
  cancel(caller: Caller, chatUID: string): Job {
    return this.#parts.jobs.cancel(caller, this.#find(chatUID).job.id);
  }

  settings(caller: Caller): ResearchSettingsView {
    const { settings, jobs } = this.#parts;
    const all = [...this.#byChat.values()].map(({ chatUID, user, job: { id: jobId } }) => {
      const { state, startedAt, step } = jobs.get(caller, jobId);
      return { state, overview: { chatUID, jobId, user, startedAt, step } };
    });
    const ofState = (wanted: string): ResearchOverview[] =>
      all.filter(({ state }) => state === wanted).map(({ overview }) => overview);
    return {
      limits: settings.limits(),
      defaults: RESEARCH_DEFAULTS,
      researchers: settings.researchers(),
      running: ofState('running'),
      queued: ofState('queued'),
    };
  }

  /** The settings that administrators have changed, without defaults. */
  ownSettings(): OwnResearchSettings {
    return this.#parts.settings.own();
  }

  /** Rejects with `version_conflict`. */
  async putSettings(
    caller: Caller,
    change: ResearchSettingsChange,
    address: string,
  ): Promise<ResearchSettingsView> {
    await this.#parts.settings.put({ caller, address }, change);
    this.#queue.advance();
    return this.settings(caller);
  }

  /** The settings as a part of a larger commit. */
  settingsOver(staging: Staging): StagedResearchSettings {
    const settings = this.#parts.settings.over(staging);
    return {
      ownSettings: () => settings.own(),
      putSettings: async (caller, change, address) => {
        await settings.put({ caller, address }, change);
        staging.afterwards(() => this.#queue.advance());
      },
    };
  }

  /** Stops all researches, and writes nothing about the unfinished ones. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#byChat.values()].map(({ over }) => over.promise));
  }

  /** Runs in one turn of the event loop, so no other research can start meanwhile. */
  #open(
    caller: Caller,
    { chatUID, question }: { readonly chatUID: string; readonly question: string },
    address: string,
  ): Research {
    const uid = must(caller.userUid, 'the user of a session');
    const model = this.#parts.model();
    this.#admit(chatUID, uid);
    const stopping = new AbortController();
    const over = Promise.withResolvers<void>();
    const stop = (): Promise<void> => {
      stopping.abort(new Problem('job_cancelled', 'The research was stopped.'));
      return over.promise;
    };
    const asked = { caller, user: uid, chatUID, question, model, stop };
    const conversation = new ResearchConversation(this.#parts, asked);
    const job = this.#parts.jobs.start({
      kind: 'deep-research',
      step: 'Waiting',
      owner: uid,
      isCancellable: true,
      isQueued: true,
    });
    const signal = AbortSignal.any([job.signal, stopping.signal, this.#closing.signal]);
    const user = { uid, name: caller.userName ?? uid };
    const work = { job, conversation, signal, over };
    const research = { chatUID, user, caller, address, question, model, ...work };
    this.#byChat.set(chatUID, research);
    return research;
  }

  #find(chatUID: string): Research {
    const found = this.#byChat.get(chatUID);
    if (found === undefined) throw notFound();
    return found;
  }

  #admit(chatUID: string, userUid: string): void {
    if (this.#byChat.get(chatUID)?.user.uid === userUid) {
      throw new Problem('research_running', 'A research is under way in this chat already.');
    }
    const { queued, running, runsPerUser } = this.#parts.settings.limits();
    const all = [...this.#byChat.values()];
    const own = all.filter(({ user }) => user.uid === userUid).length;
    if (own >= runsPerUser) {
      const message = `${own} of your researches are waiting or running, which is the limit.`;
      throw new Problem('research_queue_full', message);
    }
    if (all.length >= running + queued) {
      throw new Problem(
        'research_queue_full',
        `${all.length} researches are waiting or running, which is the limit.`,
      );
    }
  }

  /** Never rejects. */
  async #do(research: Research): Promise<void> {
    const { job, conversation, caller, address, chatUID } = research;
    const { state, reply, details, failure } = await this.#end(research);
    // An answer without an end stays in the chat; the next start marks it as interrupted.
    if (this.#closing.signal.aborted) return this.#close(research, () => {});
    const target = { kind: 'chat', id: chatUID };
    const told = { job: job.id, state, ...details };
    const event = deed('research.ended', { caller, address }, target, told);
    const outcome = failure === undefined ? 'success' : 'failure';
    try {
      await conversation.end(reply, this.#parts.audit.operation({ ...event, outcome }));
      this.#close(research, () => job.end(state, failure && untold(failure)));
    } catch (error) {
      this.#close(research, () => job.end('failed', untold(this.#problemOf(error))));
    }
  }

  async #end(research: Research): Promise<ResearchEnd> {
    const { caller, question, model, job, conversation, signal } = research;
    const { settings, renewed } = this.#parts;
    try {
      using _turn = await this.#queue.turn((before) => tellPlace(job, before), signal);
      const run = new ResearchRun(this.#parts, {
        caller: () => renewed(caller),
        question,
        model,
        limits: settings.limits(),
        researchers: settings.researchers(),
        cited: conversation.cited,
        job,
        signal,
      });
      return succeeded(await run.do());
    } catch (error) {
      if (signal.aborted) return cancelled();
      return failed(this.#problemOf(this.#refusalOf(caller) ?? error));
    }
  }

  /** Why the caller may no longer ask, if that is so: other parts may have noticed it before. */
  #refusalOf(caller: Caller): unknown {
    try {
      this.#parts.renewed(caller);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Ends the job last: whoever is told of its end finds everything else done. */
  #close({ chatUID, conversation, over }: Research, endJob: () => void): void {
    this.#byChat.delete(chatUID);
    conversation[Symbol.dispose]();
    endJob();
    over.resolve();
  }

  /** The problem that the user may see. */
  #problemOf(error: unknown): Problem {
    if (error instanceof Problem) return error;
    this.#parts.onFault(error);
    return new Problem('internal_error', 'Something went wrong on our side.', { cause: error });
  }
}

function tellPlace(job: RunningJob, before: number): void {
  if (before === 0) return job.begin('Planning');
  job.report({ waitingFor: `${before} ${before === 1 ? 'research' : 'researches'} before it` });
}

/**
 * The problem that the job shows. It has no message of the provider, because administrators see
 * jobs and the message may repeat the question.
 */
function untold({ code }: Problem): Problem {
  return new Problem(code, 'The research has failed.');
}

function notFound(): Problem {
  return new Problem('research_not_found', 'No research is waiting or running in this chat.');
}

interface Waiting {
  readonly tell: (before: number) => void;
  readonly begin: () => void;
}

/** Runs researches in the order in which they came, and only a limited number at a time. */
export class ResearchQueue {
  readonly #runningMax: () => number;
  readonly #waiting: Waiting[] = [];
  #running = 0;

  constructor(runningMax: () => number) {
    this.#runningMax = runningMax;
  }

  /**
   * Resolves when this research may run; disposing the result lets the next one run. Rejects with
   * the reason of the signal. `tell` is called with the number of running and waiting researches
   * before this one: immediately, and when the number changes; with 0 when this one may run.
   */
  async turn(tell: (before: number) => void, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { tell, begin: resolve };
    const leave = (): void => {
      const at = this.#waiting.indexOf(waiting);
      if (at < 0) return;
      this.#waiting.splice(at, 1);
      reject(signal.reason);
      this.advance();
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.push(waiting);
    this.advance();
    await promise.finally(() => signal.removeEventListener('abort', leave));
    return {
      [Symbol.dispose]: () => {
        this.#running--;
        this.advance();
      },
    };
  }

  /** Call this when the limit of running researches has risen. */
  advance(): void {
    while (this.#running < this.#runningMax()) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#running++;
      next.tell(0);
      next.begin();
    }
    for (const [at, { tell }] of this.#waiting.entries()) tell(this.#running + at);
  }
}
