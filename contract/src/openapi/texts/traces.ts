import { watchedValue } from '../../shapes/endpoint.ts';
import { operations as build } from '../../operations/build.ts';
import * as trace from '../../shapes/call-trace.ts';
import * as profile from '../../shapes/cpu-profile.ts';
import { texts } from './property-texts.ts';

/** Traces of calls of endpoints. */
export const traceTexts = [
  ...texts(watchedValue, {
    sequence: 'Sequence of the commit that the answer shows.',
    value: 'What the endpoint answers.',
  }),
  ...texts(build.getCallTrace.params, { id: 'Id of a trace, as the list of calls has it.' }),
  ...texts(trace.callTrace, {
    id: 'Id of the trace.',
    endpoint: 'Name of the endpoint that was called.',
    version: 'Version of the code that ran; null for code that was not saved.',
    kind: 'How it was called: by a request (`call`), or as code that was not saved (`draft`).',
    at: 'When the call began (ISO 8601, UTC).',
    user: 'Who called; null for a token that acts as nobody.',
    status: 'HTTP status of the answer; null if the caller went before there was one.',
    code: 'Code of the error; null if there was none.',
    reason:
      'Why the trace was kept: as one of the calls that are (`sampled`, `draft`), or because an endpoint failed, others were in the way of what it wrote, or it took a second.',
    attempts: 'How often the code ran: more than once when others were in the way of its writes.',
    cpuMs:
      'Time of the processor in the turns in which the code was at work; other calls of the same endpoint may share a turn. Null when it was not measured.',
    heapBytes:
      'The most that the heap of its worker had in use, other calls included; null when it is not known.',
    input: 'JSON text that the endpoint was called with; empty for none, null when it is not kept.',
    spans: 'What happened, in the order in which it began: at most 200 spans.',
    counted: [
      'What has no span: reads of a call that was not timed, and what is beyond 200 spans.',
      { name: 'Kind of span, or the operation that read or wrote.', count: 'How many there were.' },
    ],
    traceId: 'Trace id of the request, which the log of the server has, too.',
  }),
  ...texts(trace.traceSpan, {
    id: 'Number of the span in its trace.',
    parent: 'Span that it is part of; null for the call itself.',
    kind: 'What it is: `attempt` the code at work, `wait` for a worker, `turn` for others after a conflict, `query` a query, `reads` reads or writes of nodes together, `search` in the text index, `run` another endpoint, `commit` what was written, `fetch` another server, `ai` a model, `log` a line.',
    name: 'Steps of a query, path of an endpoint, host of a server, text of a line, or operation.',
    startMs: 'When it began, in milliseconds since the call began.',
    error: 'Code of the error that it ended with; null if it ended well.',
    facts: 'What is known of it, by its kind.',
  }),
  ...texts(trace.traceSpanFacts, {
    count: 'How many reads or writes the span stands for.',
    busyMs: 'How long these took together.',
    rowsRead: 'Keys, nodes and edges that the query read.',
    rowsGiven: 'Items of the answer of the query.',
    access: 'Where the first nodes of the query came from.',
    index: 'Fields of the index that the query used.',
    operations: 'Operations of the commit.',
    sequence: 'Sequence of the commit.',
    conflict: 'What others had changed after the call read it.',
    method: 'HTTP method of the request.',
    status: 'HTTP status of the answer.',
    bytes: 'Size of the answer in bytes.',
    model: 'Model that answered.',
    inputTokens: 'Tokens that the model was sent.',
    outputTokens: 'Tokens that the model answered.',
    level: 'Level of the log line.',
  }),
  ...texts(profile.cpuProfile, {
    nodes: [
      'Functions that were at work, as a tree of who called whom.',
      {
        id: 'Number of the node.',
        callFrame: [
          'The function; what the server does itself is `(trellis)`.',
          {
            functionName: 'Name of the function.',
            scriptId: 'Number of the script in its worker.',
            url: 'File of the author, such as `endpoints/reports/sales.ts`; empty for what is none.',
            lineNumber: 'Line of the function, from 0.',
            columnNumber: 'Column of the function, from 0.',
          },
        ],
        hitCount: 'Samples that found it at work.',
        children: 'Numbers of the functions that it called.',
        positionTicks: [
          'Samples by line.',
          { line: 'Line of the file, from 1.', ticks: 'Samples that found this line at work.' },
        ],
      },
    ],
    startTime: 'When it began, in microseconds.',
    endTime: 'When it ended, in microseconds.',
    samples: 'The node that was at work at each sample.',
    timeDeltas: 'Microseconds from each sample to the next.',
  }),
];
