/** Endpoints in folders, by the "/" in their names. */
export interface EndpointFolder<T> {
  /** The last part of its path. */
  readonly name: string;
  /** With "/" at its end; empty for the root. */
  readonly path: string;
  readonly folders: readonly EndpointFolder<T>[];
  readonly endpoints: readonly T[];
  /** How many endpoints are in it and in its folders. */
  readonly count: number;
}

interface Growing<T> {
  readonly folders: Map<string, Growing<T>>;
  readonly endpoints: T[];
}

/** Folders and endpoints by name; a folder comes before an endpoint. */
export function treeOf<T extends { readonly name: string }>(
  items: readonly T[],
): EndpointFolder<T> {
  const root: Growing<T> = { folders: new Map(), endpoints: [] };
  for (const item of items) {
    let folder = root;
    for (const part of item.name.split('/').slice(0, -1)) {
      const next: Growing<T> = folder.folders.get(part) ?? { folders: new Map(), endpoints: [] };
      folder.folders.set(part, next);
      folder = next;
    }
    folder.endpoints.push(item);
  }
  return grown(root, '', '');
}

function grown<T extends { readonly name: string }>(
  { folders, endpoints }: Growing<T>,
  name: string,
  path: string,
): EndpointFolder<T> {
  const inner = [...folders]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([part, folder]) => grown(folder, part, `${path}${part}/`));
  const count = inner.reduce((sum, folder) => sum + folder.count, endpoints.length);
  const sorted = endpoints.toSorted((a, b) => a.name.localeCompare(b.name));
  return { name, path, folders: inner, endpoints: sorted, count };
}
