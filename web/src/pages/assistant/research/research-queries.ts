import { queryOptions, useQuery } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';
import { tellsOfJobs, useLiveQueries } from '../../../app/live-queries.ts';

const RESEARCH_KEY = ['research-settings'] as const;
const tellsOfResearch = tellsOfJobs('deep-research');

export const researchSettingsQuery = queryOptions({
  queryKey: RESEARCH_KEY,
  queryFn: ({ signal }) => client.deepResearch.getSettings({ signal }),
});

/** The settings, with what is studied and waits now. */
export function useResearchSettings() {
  useLiveQueries(RESEARCH_KEY, tellsOfResearch);
  return useQuery(researchSettingsQuery);
}
