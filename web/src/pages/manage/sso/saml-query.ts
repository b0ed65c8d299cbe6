import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';

export const samlQuery = queryOptions({
  queryKey: ['sso', 'saml'],
  queryFn: ({ signal }) => client.sso.getSamlConfig({ signal }),
});
