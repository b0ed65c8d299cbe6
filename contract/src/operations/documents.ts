import { CHANGE_ERRORS, type Rows, withIds } from '../operation.ts';
import {
  extraction,
  extractionInPath,
  extractionProposal,
  extractionRequest,
  extractionResumption,
  extractionStarted,
  extractionWithDocuments,
  proposalChange,
  proposalChoice,
  proposalInPath,
  proposalList,
  proposalQuery,
  proposalsApproved,
  proposalsRejected,
  proposalText,
} from '../shapes/extraction.ts';
import { listOf, pageQuery } from '../shapes/list.ts';

const reads = { area: 'documents', auth: 'admin', onReplica: 'serve' } as const;
const writes = { area: 'documents', auth: 'admin-write', onReplica: 'redirect' } as const;

const STARTS = [
  'extraction_running',
  'llm_not_configured',
  'model_not_found',
  ...CHANGE_ERRORS,
] as const;

export const operations = withIds({
  startExtraction: {
    ...writes,
    sdk: 'documents.extract',
    method: 'POST',
    path: '/api/documents/extractions',
    body: extractionRequest,
    responses: { 202: { description: 'The job that reads them.', body: extractionStarted } },
    errors: ['node_not_found', 'extraction_limit_reached', 'schema_conflict', ...STARTS],
    summary: 'Read files and texts, and propose nodes and edges of your schema, as a job.',
  },

  listExtractions: {
    ...reads,
    sdk: 'documents.extractions',
    method: 'GET',
    path: '/api/documents/extractions',
    query: pageQuery,
    responses: { 200: { description: 'Newest first.', body: listOf(extraction) } },
    errors: [],
    summary: 'List what was read out of documents.',
  },

  getExtraction: {
    ...reads,
    sdk: 'documents.extraction',
    method: 'GET',
    path: '/api/documents/extractions/{id}',
    params: extractionInPath,
    responses: { 200: { description: 'With its documents.', body: extractionWithDocuments } },
    errors: ['extraction_not_found'],
    summary: 'Read how far each document is, and what of it was decided.',
  },

  resumeExtraction: {
    ...writes,
    sdk: 'documents.resume',
    method: 'POST',
    path: '/api/documents/extractions/{id}/resume',
    params: extractionInPath,
    body: extractionResumption.optional(),
    responses: { 202: { description: 'The job that goes on.', body: extractionStarted } },
    errors: ['extraction_not_found', 'extraction_not_resumable', ...STARTS],
    summary: 'Go on after a cancellation, a failure, or with more tokens; nothing is read twice.',
  },

  deleteExtraction: {
    ...writes,
    sdk: 'documents.deleteExtraction',
    method: 'DELETE',
    path: '/api/documents/extractions/{id}',
    params: extractionInPath,
    responses: { 204: { description: 'It is gone, with its proposals; what was approved stays.' } },
    errors: ['extraction_not_found', 'extraction_running', ...CHANGE_ERRORS],
    summary: 'Delete an extraction and its proposals.',
  },

  listProposals: {
    ...reads,
    sdk: 'documents.proposals',
    method: 'GET',
    path: '/api/documents/extractions/{id}/proposals',
    params: extractionInPath,
    query: proposalQuery,
    responses: { 200: { description: 'In the order of the texts.', body: proposalList } },
    errors: ['extraction_not_found'],
    summary: 'List the nodes and edges that are proposed, with the quotes that they rest on.',
  },

  approveProposals: {
    ...writes,
    sdk: 'documents.approve',
    method: 'POST',
    path: '/api/documents/extractions/{id}/approve',
    params: extractionInPath,
    body: proposalChoice.optional(),
    responses: { 200: { description: 'What was written.', body: proposalsApproved } },
    errors: ['extraction_not_found', 'schema_conflict', ...CHANGE_ERRORS],
    summary: 'Write proposed nodes and edges, with edges to the documents that say so.',
  },

  rejectProposals: {
    ...writes,
    sdk: 'documents.reject',
    method: 'POST',
    path: '/api/documents/extractions/{id}/reject',
    params: extractionInPath,
    body: proposalChoice.optional(),
    responses: { 200: { description: 'How many.', body: proposalsRejected } },
    errors: ['extraction_not_found', ...CHANGE_ERRORS],
    summary: 'Say no to proposed nodes and edges.',
  },

  changeProposal: {
    ...writes,
    sdk: 'documents.changeProposal',
    method: 'PUT',
    path: '/api/documents/proposals/{id}',
    params: proposalInPath,
    body: proposalChange,
    responses: { 200: { description: 'As it is now.', body: extractionProposal } },
    errors: ['proposal_not_found', 'proposal_not_open', ...CHANGE_ERRORS],
    summary: 'Change the key or values of a proposal before it is approved.',
  },

  getProposalText: {
    ...reads,
    sdk: 'documents.proposalText',
    method: 'GET',
    path: '/api/documents/proposals/{id}/text',
    params: proposalInPath,
    responses: { 200: { description: 'The quote in its text.', body: proposalText } },
    errors: ['proposal_not_found'],
    summary: 'Read what stands around the quote of a proposal.',
  },
} as const satisfies Rows);
