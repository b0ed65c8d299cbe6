import type { Problem } from '#base/problem.ts';
import type { ResearchReply } from './research-conversation.ts';
import type { ResearchReport } from './research-run.ts';

/** How a research has ended. */
export interface ResearchEnd {
  readonly state: 'succeeded' | 'failed' | 'cancelled';
  readonly reply: ResearchReply;
  /** For the audit: never what was asked or said. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly failure?: Problem;
}

export function succeeded({ limit, ...report }: ResearchReport): ResearchEnd {
  const ended = limit === 'steps' || limit === 'tokens' ? limit : 'answer';
  const { usage, citations } = report;
  const details = { usage, sources: citations.length, ...(limit === null ? {} : { limit }) };
  return { state: 'succeeded', reply: { ...report, ended, error: null }, details };
}

export function failed(failure: Problem): ResearchEnd {
  const { code, message } = failure;
  const reply = { ...noReport('failed'), error: { code, message } };
  return { state: 'failed', reply, details: { code }, failure };
}

export function cancelled(): ResearchEnd {
  return { state: 'cancelled', reply: noReport('stopped'), details: {} };
}

function noReport(ended: 'stopped' | 'failed'): ResearchReply {
  return { text: '', citations: [], usage: null, error: null, ended };
}
