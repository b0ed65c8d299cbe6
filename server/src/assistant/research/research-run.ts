import type { Caller } from '#access/caller.ts';
import {
  RESEARCH_NOTE_CHARACTERS_MAX,
  RESEARCH_QUESTIONS_MAX,
  RESEARCH_REPORT_SHARE,
  RESEARCH_SUPPORT_RATE_MIN,
  RESEARCH_SUPPORT_SENTENCES_MIN,
  RESEARCH_TOOL_CALLS_MAX,
  RESEARCH_TOOL_TIMEOUT_MS,
} from '#base/assistant-limits.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { RunningJob } from '#jobs/job-registry.ts';
import type { AnswerSupport } from '@trellis/contract/shapes/support.ts';
import type { Researcher, ResearchLimits } from '@trellis/contract/shapes/deep-research.ts';
import { type Snippet, Snippets } from '../citations/snippets.ts';
import type { AnswerChecker } from '../support/answer-checker.ts';
import type { ModelRunner, ModelTool } from '../model/model-run.ts';
import type { WorkspaceBrief } from '../model/workspace-brief.ts';
import type { TokenCounts } from '../router/llm-call.ts';
import {
  notesText,
  planIn,
  planInstructions,
  type PlannedQuestion,
  REPORT_INSTRUCTIONS,
  reportRequest,
  researcherInstructions,
  researcherRequest,
  type ResearchNote,
} from './research-plan.ts';

export interface ResearchParts {
  readonly models: ModelRunner;
  readonly clock: Clock;
  readonly checker: Pick<AnswerChecker, 'check'>;
  readonly brief: WorkspaceBrief;
  /** The read-only tools of this caller. They number their facts in `snippets`. */
  readonly tools: (
    caller: Caller,
    snippets: Snippets,
    question: string,
  ) => Promise<readonly ModelTool[]>;
}

export interface ResearchTask {
  /**
   * The caller with the rights that they have now; throws a problem when they may no longer ask.
   */
  readonly caller: () => Caller;
  readonly question: string;
  readonly limits: RunLimits;
  readonly model: string;
  /** At least one. */
  readonly researchers: readonly Researcher[];
  /** The facts that already have numbers in the conversation. */
  readonly cited: readonly Snippet[];
  /** Its texts never contain the question, because others see the job. */
  readonly job: Pick<RunningJob, 'report' | 'log'>;
  readonly signal: AbortSignal;
}

export interface ResearchReport {
  /**
   * The report with citations. New facts are numbered after those of the conversation, in the order
   * in which the report cites them.
   */
  readonly text: string;
  readonly citations: readonly Snippet[];
  readonly support: AnswerSupport;
  readonly usage: TokenCounts;
  /** The limit that ended the research; null when none did. */
  readonly limit: LimitName | null;
}

/**
 * The progress of the job, from 0 to 1, when the plan is made, and when all questions are studied.
 */
const PLANNED = 0.1;
const STUDIED = 0.8;
const WRITTEN = 0.95;
const NOTHING_FOUND = 'Nothing was found out.';
const NOT_STUDIED = 'This was not studied any more.';

/** The limits for one question. */
interface Share {
  readonly steps: number;
  readonly tokens: number;
}

/** One request to a model. */
interface Asked extends Share {
  readonly instructions: string;
  readonly text: string;
  readonly tools: readonly ModelTool[];
  readonly ms: number;
}

/**
 * One research: a model makes a plan, researchers study its questions at the same time, and a model
 * writes the report from their notes. When a limit is reached, the studies end, and the report uses
 * the notes so far. A researcher that fails leaves a note that says so; when all fail, the research
 * fails.
 */
export class ResearchRun {
  readonly #parts: ResearchParts;
  readonly #task: ResearchTask;
  readonly #budget: ResearchBudget;
  /** The facts that the notes cite. */
  readonly #facts = new Snippets();
  readonly #notes = new NotesSupport();
  #failure: Problem | undefined;

  constructor(parts: ResearchParts, task: ResearchTask) {
    this.#parts = parts;
    this.#task = task;
    this.#budget = new ResearchBudget(task.limits, parts.clock);
  }

  /** Rejects like the provider, and with the reason of the signal. */
  async do(): Promise<ResearchReport> {
    const plan = await this.#plan();
    const notes = await this.#study(plan);
    const text = await this.#report(notes);
    const sources = new Snippets(this.#task.cited);
    const cited = recited(text, this.#facts, sources);
    const remarks = this.#remarks();
    const whole = remarks === undefined ? cited : `${cited}\n\n*${remarks}*`;
    const citations = sources.citedIn(cited);
    this.#task.job.report({ step: 'Checking the report', progress: WRITTEN });
    return {
      text: whole,
      citations,
      support: await this.#parts.checker.check({
        caller: this.#task.caller(),
        judgedFor: 'deep-research',
        answer: whole,
        citations,
        signal: this.#task.signal,
      }),
      usage: this.#budget.usage,
      limit: this.#budget.reached,
    };
  }

  async #plan(): Promise<PlannedQuestion[]> {
    const { question, researchers } = this.#task;
    const { questionsMax } = this.#budget;
    const said = await this.#ask({
      instructions: this.#parts.brief.after(
        planInstructions(researchers, questionsMax),
        this.#task.caller(),
      ),
      text: question,
      tools: [],
      steps: 1,
      tokens: this.#budget.tokensLeft('studies'),
      ms: this.#budget.leftMs('studies'),
    });
    return planIn(said, { question, researchers, questionsMax });
  }

  async #study(plan: readonly PlannedQuestion[]): Promise<ResearchNote[]> {
    const { researchers, job } = this.#task;
    const share = this.#budget.share(plan.length);
    const notes: ResearchNote[] = [];
    const tell = (): void => {
      const ended = notes.filter((note) => note !== undefined).length;
      const progress = PLANNED + ((STUDIED - PLANNED) * ended) / plan.length;
      job.report({ step: `Researching: ${ended} of ${plan.length} questions`, progress });
    };
    tell();
    const work = researchers.map(async (researcher) => {
      for (const [at, planned] of plan.entries()) {
        if (planned.researcher !== researcher) continue;
        if (this.#notes.isDoubtful) {
          notes[at] = { ...planned, text: NOT_STUDIED, isFound: false };
          continue;
        }
        notes[at] = await this.#note(planned, share);
        tell();
      }
    });
    // All researchers have ended before this line is reached.
    const failed = (await Promise.allSettled(work)).find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return notes;
  }

  async #note(planned: PlannedQuestion, share: Share): Promise<ResearchNote> {
    const { researcher, question } = planned;
    const { caller, question: whole, job, signal } = this.#task;
    const own = new Snippets();
    try {
      const said = await this.#ask({
        instructions: this.#parts.brief.after(researcherInstructions(researcher), caller()),
        text: researcherRequest(whole, question),
        tools: await this.#parts.tools(caller(), own, question),
        ...share,
        ms: this.#budget.leftMs('studies'),
      });
      const note = said.trim().slice(0, RESEARCH_NOTE_CHARACTERS_MAX);
      const cited = own.citedIn(note);
      job.log(`${researcher.name}: ${cited.length} sources`);
      await this.#heed(note, cited);
      return note === ''
        ? { ...planned, text: NOTHING_FOUND, isFound: false }
        : { ...planned, text: recited(note, own, this.#facts), isFound: true };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Problem)) throw error;
      this.#failure ??= error;
      job.log(`${researcher.name}: failed with ${error.code}`);
      return { ...planned, text: couldNot('be studied', error), isFound: false };
    }
  }

  /** Notes whose citations do not say what they say are no ground for more of them. */
  async #heed(answer: string, citations: readonly Snippet[]): Promise<void> {
    const { caller, job, signal } = this.#task;
    const asked = { caller: caller(), answer, citations, signal };
    const { support } = await this.#parts.checker.check(asked);
    const before = this.#notes.isDoubtful;
    this.#notes.add(support);
    if (this.#notes.isDoubtful && !before) job.log(this.#notes.remark);
  }

  /** Why the report may be incomplete. */
  #remarks(): string | undefined {
    const doubt = this.#notes.isDoubtful ? this.#notes.remark : undefined;
    const remarks = [this.#budget.remark(), doubt].filter((one) => one !== undefined);
    return remarks.length === 0 ? undefined : remarks.join(' ');
  }

  async #report(notes: readonly ResearchNote[]): Promise<string> {
    const { question, job, signal } = this.#task;
    if (!notes.some(({ isFound }) => isFound)) {
      if (this.#failure !== undefined) throw this.#failure;
      return NOTHING_FOUND;
    }
    job.report({ step: 'Writing the report', progress: STUDIED });
    const text = notesText(notes);
    try {
      const said = await this.#ask({
        instructions: this.#parts.brief.withAdded(REPORT_INSTRUCTIONS),
        text: reportRequest(question, text, this.#remarks()),
        tools: [],
        steps: 1,
        tokens: this.#budget.tokensLeft('report'),
        ms: this.#budget.leftMs('report'),
      });
      return said.trim() === '' ? text : said.trim();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Problem)) throw error;
      job.log(`The report: failed with ${error.code}`);
      return `${couldNot('be written', error)} These are the notes.\n\n${text}`;
    }
  }

  /** The text of the model; incomplete when a limit was reached. */
  async #ask({ instructions, text, tools, steps, tokens, ms }: Asked): Promise<string> {
    const budget = this.#budget;
    if (ms <= 0 || tokens <= 0) {
      budget.reach(ms <= 0 ? 'minutes' : 'tokens');
      return '';
    }
    const { caller, model, signal } = this.#task;
    let said = '';
    try {
      const outcome = await this.#parts.models.run({
        caller: caller(),
        feature: 'deep-research',
        model,
        instructions,
        messages: [{ role: 'user', text }],
        tools,
        limits: {
          stepsMax: steps,
          toolCallsMax: RESEARCH_TOOL_CALLS_MAX,
          tokensMax: tokens,
          // What goes over is missing for the report.
          isStrict: true,
          timeoutMs: ms,
          toolTimeoutMs: RESEARCH_TOOL_TIMEOUT_MS,
        },
        signal,
        onEvent: (event) => {
          if (event.kind === 'text') said += event.text;
        },
      });
      budget.count(outcome.usage);
      const { ended } = outcome;
      if (ended === 'tokens' || (ended === 'steps' && tools.length > 0)) budget.reach(ended);
      return outcome.text;
    } catch (error) {
      budget.countAll(tokens);
      if (signal.aborted || !isProblem(error, 'llm_timeout')) throw error;
      budget.reach('minutes');
      return said;
    }
  }
}

function isProblem(error: unknown, code: string): boolean {
  return error instanceof Problem && error.code === code;
}

function couldNot(what: string, error: Problem): string {
  return `This could not ${what}: ${error.message}`;
}

/**
 * Replaces the citation numbers of `from` in a text with those of `into`, in the order of the text.
 * Numbers that `from` does not have are removed: the model has invented them, and `into` may have
 * other facts under them.
 */
export function recited(text: string, from: Snippets, into: Snippets): string {
  const known = new Map(from.citedIn(text).map((snippet) => [String(snippet.id), snippet]));
  return text.replaceAll(/( ?)\[0*(\d{1,6})\]/g, (_mark, space: string, digits: string) => {
    const snippet = known.get(digits);
    return snippet === undefined ? '' : `${space}[${into.add(snippet.uid, snippet.text).id}]`;
  });
}

/** How far the notes of a research say what they cite. */
class NotesSupport {
  #checked = 0;
  #supported = 0;

  add(support: AnswerSupport['support']): void {
    this.#checked += support.filter(({ verdict }) => verdict !== 'unchecked').length;
    this.#supported += support.filter(({ verdict }) => verdict === 'supported').length;
  }

  /** So few are supported that more notes would not make the report better. */
  get isDoubtful(): boolean {
    const isKnown = this.#checked >= RESEARCH_SUPPORT_SENTENCES_MIN;
    return isKnown && this.#supported < RESEARCH_SUPPORT_RATE_MIN * this.#checked;
  }

  get remark(): string {
    return `This research stopped asking for more: what they cite supports only ${this.#supported} of ${this.#checked} checked sentences of its notes.`;
  }
}

type RunLimits = Pick<ResearchLimits, 'steps' | 'tokens' | 'minutes'>;
type LimitName = keyof RunLimits;

const MINUTE_MS = 60_000;
/** One step for the plan, one for the report. */
const STEPS_APART = 2;
/** One step to read the workspace, and one to answer. */
const STEPS_PER_QUESTION = 2;

/**
 * The limits of one research, and what it has used. A share of tokens and time is reserved for the
 * report.
 */
class ResearchBudget {
  readonly #limits: RunLimits;
  readonly #clock: Clock;
  readonly #startedMs: number;
  #usage: TokenCounts = { inputTokens: 0, outputTokens: 0 };
  #uncounted = 0;
  #reached: LimitName | null = null;

  constructor(limits: RunLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#startedMs = clock.now();
  }

  /** The tokens that providers have counted. */
  get usage(): TokenCounts {
    return this.#usage;
  }

  /** The limit that was reached first. */
  get reached(): LimitName | null {
    return this.#reached;
  }

  /** At least one. */
  get questionsMax(): number {
    const steps = this.#limits.steps - STEPS_APART;
    return Math.max(1, Math.min(RESEARCH_QUESTIONS_MAX, Math.floor(steps / STEPS_PER_QUESTION)));
  }

  /** The limits for each question, when the plan has this many. */
  share(questions: number): { readonly steps: number; readonly tokens: number } {
    return {
      steps: Math.floor((this.#limits.steps - STEPS_APART) / questions),
      tokens: Math.floor(this.tokensLeft('studies') / questions),
    };
  }

  tokensLeft(until: Phase): number {
    const { inputTokens, outputTokens } = this.#usage;
    const used = inputTokens + outputTokens + this.#uncounted;
    return Math.floor(this.#limits.tokens * shareOf(until)) - used;
  }

  leftMs(until: Phase): number {
    const passedMs = this.#clock.now() - this.#startedMs;
    return Math.floor(this.#limits.minutes * MINUTE_MS * shareOf(until)) - passedMs;
  }

  count({ inputTokens, outputTokens }: TokenCounts): void {
    this.#usage = {
      inputTokens: this.#usage.inputTokens + inputTokens,
      outputTokens: this.#usage.outputTokens + outputTokens,
    };
  }

  /**
   * A failed run does not say how many tokens it has used, so all that it was allowed are counted.
   */
  countAll(tokens: number): void {
    this.#uncounted += tokens;
  }

  reach(limit: LimitName): void {
    this.#reached ??= limit;
  }

  /** A sentence about the limit that was reached; undefined when none was. */
  remark(): string | undefined {
    if (this.#reached === null) return undefined;
    const max = this.#limits[this.#reached];
    return `This research ended at its limit of ${max} ${this.#reached}; the report may be incomplete.`;
  }
}

/** The limit at the end of the studies, or of the whole research. */
type Phase = 'studies' | 'report';

function shareOf(until: Phase): number {
  return until === 'studies' ? 1 - RESEARCH_REPORT_SHARE : 1;
}
