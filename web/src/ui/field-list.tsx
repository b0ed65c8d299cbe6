import type { ReactNode } from 'react';

export interface NamedValue {
  readonly name: string;
  readonly value: ReactNode;
}

/** Names and values, one below the other. */
export function FieldList({ items }: { readonly items: readonly NamedValue[] }) {
  return (
    <dl className="grid grid-cols-1 gap-x-6 gap-y-2 sm:grid-cols-[minmax(8rem,auto)_1fr]">
      {items.map(({ name, value }) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
