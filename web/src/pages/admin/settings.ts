import { queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.ts';

export const settingsQuery = queryOptions({
  queryKey: ['workspace-settings'],
  queryFn: ({ signal }) => client.workspace.getSettings({ signal }),
});
