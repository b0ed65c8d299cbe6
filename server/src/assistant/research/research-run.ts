import type { Caller } from '#access/caller.ts';
import {
  RESEARCH_NOTE_CHARACTERS_MAX,
  RESEARCH_QUESTIONS_MAX,
  RESEARCH_REPORT_SHARE,
  RESEARCH_TOOL_CALLS_MAX,
  RESEARCH_TOOL_TIMEOUT_MS,
} from '#base/assistant-limits.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { RunningJob } from '#jobs/job-registry.ts';
import type { Researcher, ResearchLimits } from '@trellis/contract/shapes/deep-research.ts';
import { type Snippet, Snippets } from '../citations/snippets.ts';
import type { ModelRunner, ModelTool } from '../model/model-run.ts';
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
  /** Those that only read, of this caller; the facts that they give are numbered in `snippets`. */
  readonly tools: (caller: Caller, snippets: Snippets) => Promise<readonly ModelTool[]>;
}

export interface ResearchTask {
  /** Whoever has asked, as they are now; throws a problem when they may not ask any more. */
  readonly caller: () => Caller;
  readonly question: string;
  readonly limits: RunLimits;
  readonly model: string;
  /** At least one. */
  readonly researchers: readonly Researcher[];
  /** The facts that the conversation has numbers for. */
  readonly cited: readonly Snippet[];
  /** It is told no word of the question, which is nobody else's. */
  readonly job: Pick<RunningJob, 'report' | 'log'>;
  readonly signal: AbortSignal;
}

export interface ResearchReport {
  /**
   * With citations: the numbers of new ones go on after those of the conversation, in the order in
   * which they come.
   */
  readonly text: string;
  readonly citations: readonly Snippet[];
  readonly usage: TokenCounts;
  /** The limit that it ended at. */
  readonly limit: LimitName | null;
}

/** How far a job is once there is a plan, and once its questions are studied. */
const PLANNED = 0.1;
const STUDIED = 0.8;
const NOTHING_FOUND = 'Nothing was found out.';

/** What one question may use. */
interface Share {
  readonly steps: number;
  readonly tokens: number;
}

/** What a model is asked at once. */
interface Asked extends Share {
  readonly instructions: string;
  readonly text: string;
  readonly tools: readonly ModelTool[];
  readonly ms: number;
}

/**
 * One research: a model makes a plan, researchers study its questions side by side, and a model
 * writes the report from their notes. A limit ends the studies, and the report is made of the notes
 * that there are. A researcher that fails leaves a note that says so; when all have failed, so has
 * the research.
 */
export class ResearchRun {
  readonly #parts: ResearchParts;
  readonly #task: ResearchTask;
  readonly #budget: ResearchBudget;
  /** What all notes cite. */
  readonly #facts = new Snippets();
  #failure: Problem | undefined;

  constructor(parts: ResearchParts, task: ResearchTask) {
    this.#parts = parts;
    this.#task = task;
    this.#budget = new ResearchBudget(task.limits, parts.clock);
  }

  /** Rejects as the provider does, and with the reason of the signal. */
  async do(): Promise<ResearchReport> {
    const plan = await this.#plan();
    const notes = await this.#study(plan);
    const text = await this.#report(notes);
    const sources = new Snippets(this.#task.cited);
    const cited = recited(text, this.#facts, sources);
    const remark = this.#budget.remark();
    return {
      text: remark === undefined ? cited : `${cited}\n\n*${remark}*`,
      citations: sources.citedIn(cited),
      usage: this.#budget.usage,
      limit: this.#budget.reached,
    };
  }

  async #plan(): Promise<PlannedQuestion[]> {
    const { question, researchers } = this.#task;
    const { questionsMax } = this.#budget;
    const said = await this.#ask({
      instructions: planInstructions(researchers, questionsMax),
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
        notes[at] = await this.#note(planned, share);
        tell();
      }
    });
    // When this goes on, nobody works any more.
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
        instructions: researcherInstructions(researcher),
        text: researcherRequest(whole, question),
        tools: await this.#parts.tools(caller(), own),
        ...share,
        ms: this.#budget.leftMs('studies'),
      });
      const note = said.trim().slice(0, RESEARCH_NOTE_CHARACTERS_MAX);
      job.log(`${researcher.name}: ${own.citedIn(note).length} sources`);
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
        instructions: REPORT_INSTRUCTIONS,
        text: reportRequest(question, text, this.#budget.remark()),
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

  /** What the model has said, as far as it came within the limits. */
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
 * A text with its citations numbered as in `into`, in the order in which they come. Numbers that
 * nothing in `from` has are left out: a model made them up, and they could be taken for others.
 */
export function recited(text: string, from: Snippets, into: Snippets): string {
  const known = new Map(from.citedIn(text).map((snippet) => [String(snippet.id), snippet]));
  return text.replaceAll(/( ?)\[0*(\d{1,6})\]/g, (_mark, space: string, digits: string) => {
    const snippet = known.get(digits);
    return snippet === undefined ? '' : `${space}[${into.add(snippet.uid, snippet.text).id}]`;
  });
}

type RunLimits = Pick<ResearchLimits, 'steps' | 'tokens' | 'minutes'>;
type LimitName = keyof RunLimits;

const MINUTE_MS = 60_000;
/** One for the plan, one for the report. */
const STEPS_APART = 2;
/** A question takes a look into the workspace, and an answer. */
const STEPS_PER_QUESTION = 2;

/** What one research may use. A part of its tokens and its time is kept for the report. */
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

  /** As far as it is known. */
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

  /** What each of so many questions may use. */
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

  /** Nobody tells what a run that failed has used: it is taken for all that it might have. */
  countAll(tokens: number): void {
    this.#uncounted += tokens;
  }

  reach(limit: LimitName): void {
    this.#reached ??= limit;
  }

  /** Undefined where no limit was reached. */
  remark(): string | undefined {
    if (this.#reached === null) return undefined;
    const max = this.#limits[this.#reached];
    return `This research ended at its limit of ${max} ${this.#reached}; the report may be incomplete.`;
  }
}

/** Until the end of the studies, or of the whole research. */
type Phase = 'studies' | 'report';

function shareOf(until: Phase): number {
  return until === 'studies' ? 1 - RESEARCH_REPORT_SHARE : 1;
}
