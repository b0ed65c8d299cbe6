import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface TabItem<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly content: ReactNode;
  /** Whether it stays while another one is open, such as an editor with its undo history. */
  readonly isKept?: boolean;
}

interface TabsProps<T extends string> {
  readonly label: string;
  readonly items: readonly TabItem<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** The tab that is open stands in the address: the page hands it in. */
export function Tabs<T extends string>({ label, items, value, onChange }: TabsProps<T>) {
  return (
    <Base.Root value={value} onValueChange={(next: T) => onChange(next)}>
      <Base.List aria-label={label} className="mb-4 flex flex-wrap gap-x-1 border-b">
        {items.map((item) => (
          <Base.Tab
            key={item.value}
            value={item.value}
            className="-mb-px border-b-2 border-transparent px-3 py-2 font-medium whitespace-nowrap text-muted hover:text-ink data-active:border-accent data-active:text-ink"
          >
            {item.label}
          </Base.Tab>
        ))}
      </Base.List>
      {items.map((item) => (
        <Base.Panel
          key={item.value}
          value={item.value}
          keepMounted={item.isKept === true}
          className="outline-offset-4"
        >
          {item.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
