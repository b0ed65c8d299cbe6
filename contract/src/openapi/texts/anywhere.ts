/**
 * Texts of members that are the same thing in every shape that has them. After ":" it holds in
 * objects that have just the members before it.
 */
export const ANYWHERE: Readonly<Record<string, string>> = {
  'code,message: code':
    'Code of the error catalogue; it never changes, so that programs branch on it.',
  'code,message: message': 'What went wrong, in one sentence for people.',
  'name,uid: uid': 'UID of the node that stands for it.',
  'name,uid: name': 'Name that people read; it may change.',
  'inputTokens,outputTokens: inputTokens': 'Tokens of everything that the model was sent.',
  'inputTokens,outputTokens: outputTokens': 'Tokens of everything that the model wrote.',
  'at,text: at': 'When the line was logged (ISO 8601, UTC).',
  'at,text: text': 'The line, without a line break at its end.',
  'text: text': 'The text; the texts of several events follow each other.',
  'count: count': 'How many lines there were.',
  'messageUID: messageUID': 'UID of the answer in the conversation.',
  items: 'The entries of this page.',
  total: 'Entries in all, on every page; in lists of the log a lower bound.',
  skip: 'How many entries were passed over before this page.',
  take: 'How many entries the page has at most.',
  createdAt: 'When it was created (ISO 8601, UTC).',
  updatedAt: 'When it was changed last (ISO 8601, UTC).',
  startedAt: 'When it began (ISO 8601, UTC).',
  endedAt: 'When it ended (ISO 8601, UTC); null while it goes on.',
  compiles:
    'Whether the code compiles against the schema of now; code that does not is kept and does not run.',
  diagnostics: 'What the compiler reports; empty if nothing is wrong.',
  jobId: 'Id of the job that does the work, as `GET /api/jobs/{id}` takes it.',
  ms: 'How long it took, in milliseconds.',
};
