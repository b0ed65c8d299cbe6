import * as shapes from '../../shapes/extraction.ts';
import { texts } from './property-texts.ts';

const ID = 'Id of the extraction, or of the proposal.';
const MAX_TOKENS = 'Tokens in and out that it may use; 1,000,000 by default.';
const FILE = {
  uid: 'UID of the file.',
  name: 'Name of the file.',
} as const;
const SOURCE = {
  uid: 'UID of the node.',
  name: 'What people call the node.',
  file: ['The file; null for a text of the node.', FILE],
  field: 'The field whose text it is; null for a file.',
} as const;
const END = { type: 'Type of the node.', key: 'Key of the node.' } as const;

/** Nodes and edges that are read out of documents. */
export const documentTexts = [
  ...texts(shapes.extractionRequest, {
    types: 'Node types of yours; nodes of no other types are proposed.',
    edges: 'Edge types of yours; no other edges are proposed.',
    documents: [
      'Which texts are read: of the nodes, of all nodes of a type, or of both; only what the caller may read.',
      {
        nodes: 'Nodes whose texts are read.',
        type: 'A node type whose nodes are all read.',
        where: 'Only nodes of the type that have these values, by field.',
        files: 'Whether the files of the nodes are read; true by default.',
        fields: 'Fields of the nodes whose texts are read.',
      },
    ],
    instructions: 'What the model is told of the task beside the schema.',
    model: 'A model that users may ask; the first of them by default.',
    maxTokens: MAX_TOKENS,
  }),
  ...texts(shapes.extractionResumption, { maxTokens: MAX_TOKENS }),
  ...texts(shapes.extractionInPath, { id: ID }),
  ...texts(shapes.proposalInPath, { id: ID }),
  ...texts(shapes.extraction, {
    id: 'Id of the extraction.',
    job: 'Id of its last job.',
    state:
      '`completed`: all was read, or could not be; `out-of-tokens`: its tokens or a budget are used up; it can be resumed then, and after `cancelled` and `failed`.',
    error: 'Why it failed; null if it did not.',
    types: 'Node types that it looks for.',
    edges: 'Edge types that it looks for.',
    model: 'The model that reads.',
    startedBy: 'UID of the user who reads, and whose tokens are used.',
    documents: 'How many texts there are.',
    read: 'How many of them are read to their end.',
    failed: 'How many could not be read to their end.',
    proposals: 'How many nodes and edges were proposed.',
    dropped: 'What the model proposed and was not kept.',
    maxTokens: 'Tokens in and out that it may use.',
    tokensUsed: 'Tokens that it has used so far.',
  }),
  ...texts(shapes.extractionStarted, {
    extraction: 'Id of the extraction.',
    kind: 'What the job does: it reads documents.',
    state: 'How far the job is; the last four are ends.',
  }),
  ...texts(shapes.extractionDocument, {
    ...SOURCE,
    number: 'Place of the text in the extraction, from 0.',
    state: '`waiting` is not read to its end yet.',
    reason: 'Why it could not be read to its end; else null.',
    batches: 'In how many parts the model is asked; 0 until it is looked at.',
    batchesRead: 'How many of the parts are read.',
    proposals: 'How many nodes and edges were proposed.',
    open: 'Proposals that wait for somebody to decide.',
    approved: 'Proposals that were approved.',
    rejected: 'Proposals that were rejected.',
    dropped: [
      'What the model proposed and was not kept.',
      {
        quote: 'Its quote does not stand in the text.',
        schema: 'It does not fit the schema, or there were too many.',
      },
    ],
  }),
  ...texts(shapes.extractionWithDocuments, { texts: 'The texts, in their order.' }),
  ...texts(shapes.extractionProposal, {
    id: 'Id of the proposal.',
    kind: 'Whether it is a node or an edge.',
    state: '`open` waits for somebody to decide.',
    type: 'Type of the node, or of the edge.',
    key: 'Key of the node; null for an edge.',
    existing: 'UID of the node with this key; null if there is none yet, and for an edge.',
    fields: 'Values that the node gets.',
    from: ['Where the edge begins; null for a node.', END],
    to: ['Where the edge leads; null for a node.', END],
    confidence: 'How sure the model is, from 0 to 1.',
    unquoted: 'Fields whose values do not stand in the quote as they are: look at them.',
    document: ['The text that says so.', { ...SOURCE, number: 'Its place in the extraction.' }],
    quote: 'The passage that it rests on, as it stands in the text.',
    page: 'Page of the quote, from 1; null for a text without pages.',
    offset: 'Place of the quote in the text, in characters from 0.',
    refused: 'Why the last approval left it open; else null.',
  }),
  ...texts(shapes.proposalQuery, {
    state: 'Only proposals in this state.',
    document: 'Only those of the text with this number.',
    type: 'Only nodes, or edges, of this type.',
    minConfidence: 'Only those with at least this confidence, from 0 to 1.',
  }),
  ...texts(shapes.proposalText, {
    isCurrent: 'Whether the text is still as it was read; if not, only the quote is given.',
    before: 'What stands before the quote.',
    quote: 'The passage that the proposal rests on.',
    after: 'What stands after the quote.',
    page: 'Page of the quote; null for a text without pages.',
  }),
  ...texts(shapes.proposalChange, {
    key: 'Key of the node.',
    fields: 'Values of the node, in place of those that are proposed.',
  }),
  ...texts(shapes.proposalChoice, {
    proposals: 'Ids of proposals; all open ones by default.',
    document: 'Only those of the text with this number.',
    minConfidence: 'Only those with at least this confidence.',
  }),
  ...texts(shapes.proposalsApproved, {
    approved: 'How many proposals were written.',
    refused: [
      'Proposals that stay open; of very many the first 1,000.',
      { id: 'Id of the proposal.', code: 'Why, as a code.', message: 'Why, for people.' },
    ],
  }),
  ...texts(shapes.proposalsRejected, { rejected: 'How many proposals were rejected.' }),
];
