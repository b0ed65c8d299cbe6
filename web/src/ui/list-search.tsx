import { useEffect, useRef, useState } from 'react';
import { TextField } from './field.tsx';

interface ListSearchProps {
  readonly label: string;
  /** What stands in the address. */
  readonly query: string;
  readonly onSearch: (query: string) => void;
  readonly className?: string;
}

const TYPING_PAUSE_MS = 250;

/** Finds rows of a list: when typing pauses, or at once with Enter. */
export function ListSearch({ label, query, onSearch, className }: ListSearchProps) {
  const [typed, setTyped] = useState(query);
  const asked = useRef(query);
  const latest = useRef(onSearch);
  latest.current = onSearch;
  useEffect(() => {
    // The address has changed by itself, such as by going back.
    if (query === asked.current) return;
    asked.current = query;
    setTyped(query);
  }, [query]);
  const search = (text: string) => {
    if (text === asked.current) return;
    asked.current = text;
    latest.current(text);
  };
  useEffect(() => {
    const timer = setTimeout(() => search(typed.trim()), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <form
      role="search"
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        search(typed.trim());
      }}
    >
      <TextField
        label={label}
        isLabelHidden
        type="search"
        dir="auto"
        placeholder={label}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </form>
  );
}
