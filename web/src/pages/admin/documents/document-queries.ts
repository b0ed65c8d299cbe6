import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  ExtractionDocument,
  ExtractionProposal,
} from '@trellis/contract/shapes/extraction.ts';
import { client } from '../../../api/client.ts';

/** Beginning of the key of whatever tells of what is read out of documents. */
export const DOCUMENTS_KEY = ['documents'] as const;
export const DOCUMENTS_TAKE = 50;

export const extractionsQuery = (skip: number) =>
  queryOptions({
    queryKey: [...DOCUMENTS_KEY, 'extractions', skip],
    queryFn: ({ signal }) =>
      client.documents.extractions({ skip, take: DOCUMENTS_TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });

export const extractionQuery = (id: string) =>
  queryOptions({
    queryKey: [...DOCUMENTS_KEY, id],
    queryFn: ({ signal }) => client.documents.extraction(id, { signal }),
  });

/** Which proposals are listed. */
export interface ProposalFilter {
  readonly state: ExtractionProposal['state'];
  readonly document?: number;
  readonly minConfidence?: number;
}

export const proposalsQuery = (id: string, filter: ProposalFilter, skip: number) =>
  queryOptions({
    queryKey: [...DOCUMENTS_KEY, id, 'proposals', filter, skip],
    queryFn: ({ signal }) =>
      client.documents.proposals(id, { ...filter, skip, take: DOCUMENTS_TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });

export const proposalTextQuery = (id: string) =>
  queryOptions({
    queryKey: [...DOCUMENTS_KEY, 'text', id],
    queryFn: ({ signal }) => client.documents.proposalText(id, { signal }),
  });

/** What a text is called: its file, or its node and field. */
export function textName({
  file,
  name,
  field,
}: Pick<ExtractionDocument, 'file' | 'name' | 'field'>) {
  return file?.name ?? `${name}, ${field}`;
}
