import { useQuery } from '@tanstack/react-query';
import { LIST_TAKE_MAX } from '@trellis/contract/limits.ts';
import { client } from '../../../api/client.ts';
import { TextField } from '../../../ui/field.tsx';
import type { TokenForm } from './token-form.ts';

/** The form of a path (open-shapes, section 3): the server says so too, less readably. */
const PATH = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*\/?)?$/;

/** Which endpoints a token may call, with the names of those there are to choose from. */
export function PathField({ form }: { readonly form: TokenForm }) {
  const { data } = useQuery({
    queryKey: ['endpoints', 'names'],
    queryFn: async ({ signal }) => {
      const { items } = await client.endpoints.list({ take: LIST_TAKE_MAX }, { signal });
      return items.map(({ name }) => name);
    },
  });
  return (
    <>
      <TextField
        label="Path"
        hint="The name of one endpoint, a prefix such as analytics/, or blank for all of them."
        list="endpoint-paths"
        autoComplete="off"
        spellCheck={false}
        error={form.formState.errors.path?.message}
        {...form.register('path', {
          validate: (path) =>
            PATH.test(path.trim()) ||
            'Enter the name of an endpoint, or a prefix that ends in “/”.',
        })}
      />
      <datalist id="endpoint-paths">
        {pathsOf(data ?? []).map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </>
  );
}

/** The names, and the prefixes that several share. */
function pathsOf(names: readonly string[]): readonly string[] {
  const folders = names.flatMap((name) => {
    const parts = name.split('/').slice(0, -1);
    return parts.map((_, i) => `${parts.slice(0, i + 1).join('/')}/`);
  });
  return [...new Set([...folders, ...names])].toSorted();
}
