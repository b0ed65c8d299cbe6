import { z } from 'zod';
import { graphName, recordUpTo, uidText } from '../bounded-shapes.ts';
import type { Immutable } from '../immutable.ts';
import {
  EMBEDDING_MODEL_CHARACTERS_MAX,
  EXTRACTION_CHOSEN_MAX,
  EXTRACTION_DOCUMENTS_MAX,
  EXTRACTION_FIELDS_MAX,
  EXTRACTION_INSTRUCTIONS_CHARACTERS_MAX,
  EXTRACTION_TOKENS_MAX,
  EXTRACTION_TYPES_MAX,
  SCHEMA_FIELDS_PER_TYPE_MAX,
} from '../limits.ts';
import { NODE_TEXT_CHARACTERS_MAX, NUMBER_CHARACTERS_MAX } from '../request-limits.ts';
import { job } from './job.ts';
import { listOf, pageQuery } from './list.ts';
import { nodeReference } from './node-reference.ts';

const name = graphName.min(1);
const id = z.string().min(1).max(100);
const count = z.int().min(0);
const confidence = z.number().min(0).max(1);
const maxTokens = z.int().min(1).max(EXTRACTION_TOKENS_MAX);
const key = z.string().min(1).max(NODE_TEXT_CHARACTERS_MAX);

/** Which texts are read: of these nodes, of all of a type, or of both. */
const chosenDocuments = z.strictObject({
  nodes: z.array(nodeReference).max(EXTRACTION_DOCUMENTS_MAX).optional(),
  type: name.optional(),
  /** Only nodes of the type that have these values. */
  where: recordUpTo(EXTRACTION_FIELDS_MAX, name, z.unknown()).optional(),
  /** Whether the files of the nodes are read. */
  files: z.boolean().default(true),
  /** Texts of the nodes that are read. */
  fields: z.array(name).max(EXTRACTION_FIELDS_MAX).default([]),
});

/** The body of `POST /api/documents/extractions`. */
export const extractionRequest = z.strictObject({
  /** Of the nodes that are proposed. */
  types: z.array(name).min(1).max(EXTRACTION_TYPES_MAX),
  /** Of the edges between them. */
  edges: z.array(name).max(EXTRACTION_TYPES_MAX).default([]),
  documents: chosenDocuments,
  /** What the model is told of the task beside the schema. */
  instructions: z.string().max(EXTRACTION_INSTRUCTIONS_CHARACTERS_MAX).default(''),
  /** One of those that an administrator allows; the first of them when left out. */
  model: z.string().min(1).max(EMBEDDING_MODEL_CHARACTERS_MAX).optional(),
  maxTokens: maxTokens.optional(),
});
export type ExtractionRequest = Immutable<z.output<typeof extractionRequest>>;

/** The body of `POST .../resume`. */
export const extractionResumption = z.strictObject({ maxTokens: maxTokens.optional() });
export type ExtractionResumption = Immutable<z.infer<typeof extractionResumption>>;

export const extractionInPath = z.object({ id });
export const proposalInPath = z.object({ id });

/** `out-of-tokens`: the tokens, or a budget, were used up before all was read. */
export const EXTRACTION_STATES = [
  'running',
  'completed',
  'out-of-tokens',
  'cancelled',
  'failed',
] as const;

/** One run over documents. */
export const extraction = z.strictObject({
  id: z.string(),
  /** Id of its last job. */
  job: z.string(),
  state: z.enum(EXTRACTION_STATES),
  /** Why it ended early. */
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  types: z.array(z.string()),
  edges: z.array(z.string()),
  model: z.string(),
  /** UID of the user for whom the texts are read. */
  startedBy: z.string(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  /** How many there are, how many are read to their end, and how many could not be. */
  documents: count,
  read: count,
  failed: count,
  proposals: count,
  /** Proposals of the model that were not kept. */
  dropped: count,
  maxTokens: z.int().min(1),
  tokensUsed: count,
});
export type Extraction = Immutable<z.infer<typeof extraction>>;

/** The job of a run, and the run. */
export const extractionStarted = job.extend({ extraction: z.string() });
export type ExtractionStarted = Immutable<z.infer<typeof extractionStarted>>;

const source = z.strictObject({
  /** UID of the node. */
  uid: z.string(),
  name: z.string(),
  /** UID and name of the file; null for a text of the node. */
  file: z.strictObject({ uid: z.string(), name: z.string() }).nullable(),
  /** Null for a file. */
  field: z.string().nullable(),
});

/** One text: a file of a node, or a field. */
export const extractionDocument = source.extend({
  /** Its place in the run, from 0. */
  number: count,
  state: z.enum(['waiting', 'read', 'failed']),
  /** Why it could not be read to its end. */
  reason: z.string().nullable(),
  /** Parts that the model is asked about one by one; 0 until it is looked at. */
  batches: count,
  batchesRead: count,
  proposals: count,
  open: count,
  approved: count,
  rejected: count,
  /** What was not kept: quotes that are not in the text, and what does not fit the schema. */
  dropped: z.strictObject({ quote: count, schema: count }),
});
export type ExtractionDocument = Immutable<z.infer<typeof extractionDocument>>;

export const extractionWithDocuments = extraction.extend({
  texts: z.array(extractionDocument),
});
export type ExtractionWithDocuments = Immutable<z.infer<typeof extractionWithDocuments>>;

const end = z.strictObject({ type: z.string(), key: z.string() });
const PROPOSAL_STATES = ['open', 'approved', 'rejected'] as const;
const state = z.enum(PROPOSAL_STATES);

/** A node or an edge that a document seems to speak of. */
export const extractionProposal = z.strictObject({
  id: z.string(),
  kind: z.enum(['node', 'edge']),
  state,
  /** The type of the node, or of the edge. */
  type: z.string(),
  /** Null for an edge. */
  key: z.string().nullable(),
  /** UID of the node that there is already; null for a new one, and for an edge. */
  existing: z.string().nullable(),
  fields: z.record(z.string(), z.unknown()),
  /** The ends of an edge; null for a node. */
  from: end.nullable(),
  to: end.nullable(),
  confidence,
  /** Fields whose values do not stand in the quote as they are. */
  unquoted: z.array(z.string()),
  document: source.extend({ number: count }),
  quote: z.string(),
  /** From 1; null for texts without pages. */
  page: z.int().min(1).nullable(),
  /** Place of the quote in the text, in characters. */
  offset: count,
  /** Why the last approval left it out. */
  refused: z.string().nullable(),
});
export type ExtractionProposal = Immutable<z.infer<typeof extractionProposal>>;

const score = z
  .string()
  .max(NUMBER_CHARACTERS_MAX)
  .regex(/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/, 'must be a number from 0 to 1')
  .transform(Number);
export const proposalQuery = pageQuery.extend({
  state: state.optional(),
  document: z.string().max(NUMBER_CHARACTERS_MAX).regex(/^\d+$/).transform(Number).optional(),
  type: name.optional(),
  minConfidence: score.optional(),
});
export type ProposalQuery = z.output<typeof proposalQuery>;
export const proposalList = listOf(extractionProposal);

/** What stands around a quote. */
export const proposalText = z.strictObject({
  /** Whether the text is still there as it was read. */
  isCurrent: z.boolean(),
  before: z.string(),
  quote: z.string(),
  after: z.string(),
  page: z.int().min(1).nullable(),
});
export type ProposalText = Immutable<z.infer<typeof proposalText>>;

/** The body of `PUT /api/documents/proposals/{id}`: what is left out stays as it is. */
export const proposalChange = z.strictObject({
  key: key.optional(),
  fields: recordUpTo(SCHEMA_FIELDS_PER_TYPE_MAX, name, z.unknown()).optional(),
});
export type ProposalChange = Immutable<z.infer<typeof proposalChange>>;

/** Which open proposals of a run are meant: all that fit. */
export const proposalChoice = z.strictObject({
  proposals: z.array(uidText.max(100).min(1)).max(EXTRACTION_CHOSEN_MAX).optional(),
  document: count.optional(),
  minConfidence: confidence.optional(),
});
export type ProposalChoice = Immutable<z.infer<typeof proposalChoice>>;

/** What an approval has done. */
export const proposalsApproved = z.strictObject({
  approved: count,
  /** Proposals that stay open, and why: the first 1,000. */
  refused: z.array(z.strictObject({ id: z.string(), code: z.string(), message: z.string() })),
});
export type ProposalsApproved = Immutable<z.infer<typeof proposalsApproved>>;

export const proposalsRejected = z.strictObject({ rejected: count });
