import { z } from 'zod';
import { errorBody } from '../errors.ts';
import type { OperationId } from '../operations.ts';
import { adminAgentAnswer, adminAgentCommit } from '../shapes/admin-agent.ts';
import { chatAnswer, chatToolEvent } from '../shapes/chat.ts';
import { definitionsImport } from '../shapes/definitions.ts';
import { watchedValue } from '../shapes/endpoint.ts';
import { endpointLogLine } from '../shapes/endpoint-log.ts';
import { job, jobLine } from '../shapes/job.ts';
import { liveLogRecord } from '../shapes/log.ts';

/** An event of a stream of Server-Sent Events. */
export interface DescribedEvent {
  readonly says: string;
  /** Its data, as JSON; absent where it has none. */
  readonly data?: z.ZodType;
}

/** The events of a stream by name, in the order of a reader. */
export type DescribedEvents = Readonly<Record<string, DescribedEvent>>;

const text = z.strictObject({ text: z.string() });
const count = z.strictObject({ count: z.int().min(1) });

const DELTA = { says: 'More of the text of the answer.', data: text };
const TOOL = { says: 'A call of a tool has begun, or ended.', data: chatToolEvent };
const DONE = { says: 'The last event.' };
const FAILED = {
  says: 'Instead of `result`: what failed after the stream had begun.',
  data: errorBody,
};
const STEP = { says: 'A step of the work, for people.', data: text };

const WATCHED = {
  value: {
    says: 'What the endpoint answers: at once, and whenever that has changed. Its id is the sequence.',
    data: watchedValue,
  },
  error: { says: 'Why there is no answer. The stream goes on, unless it ends.', data: errorBody },
  ping: { says: 'A sign of life each 15 seconds.' },
};

const DROPPED = { says: 'How many lines went before they could be sent.', data: count };
const POSITION = { says: 'Nothing but an id, for whoever comes back before the first line.' };
const LOG_END = { says: 'The last event: the session has ended, or `to` has passed.' };

/**
 * What streams of events say. OpenAPI 3.1 has no place for it: the document tells it in prose, and
 * in the extension `x-events`. The streams of other protocols are those protocols' to describe.
 */
export const events: Readonly<Partial<Record<OperationId, DescribedEvents>>> = {
  sendChatMessage: {
    delta: DELTA,
    tool: TOOL,
    result: { says: 'Exactly the JSON answer.', data: chatAnswer },
    error: FAILED,
    done: DONE,
  },
  sendAdminAgentMessage: {
    delta: DELTA,
    tool: TOOL,
    result: { says: 'Exactly the JSON answer.', data: adminAgentAnswer },
    error: FAILED,
    done: DONE,
  },
  watchChat: {
    begun: {
      says: 'Which answer is under way.',
      data: z.strictObject({ messageUID: z.string() }),
    },
    delta: DELTA,
    tool: TOOL,
    end: { says: 'The last event: no answer is under way any more.' },
  },
  approveAdminAgentCommit: {
    log: STEP,
    result: { says: 'What was done.', data: adminAgentCommit },
    error: FAILED,
    done: DONE,
  },
  importDefinitions: {
    log: STEP,
    result: { says: 'What was done, or would be.', data: definitionsImport },
    error: FAILED,
    done: DONE,
  },
  rollBackDeployment: {
    log: STEP,
    result: { says: 'What was done, or would be.', data: definitionsImport },
    error: FAILED,
    done: DONE,
  },
  watchEndpoint: WATCHED,
  watchEndpointWithToken: WATCHED,
  watchEndpointLogs: {
    line: { says: 'A line; its id is its sequence.', data: endpointLogLine },
    dropped: DROPPED,
    position: POSITION,
    end: LOG_END,
  },
  watchLogs: {
    line: { says: 'A record; its id is its sequence.', data: liveLogRecord },
    dropped: DROPPED,
    position: POSITION,
    end: LOG_END,
  },
  watchJob: {
    log: { says: 'A line of the log of the job.', data: jobLine },
    job: { says: 'The job: at once, and whenever it has changed.', data: job },
    end: { says: 'The last event: the job has ended.' },
  },
};
