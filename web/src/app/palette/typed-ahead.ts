import { useEffect, useState } from 'react';

/** Keys that are pressed before the palette has the focus: its code may be under way. */
export class TypedAhead {
  #text = '';
  #isOn = false;

  begin(): void {
    this.#text = '';
    this.#isOn = true;
  }

  /** What was typed so far; the keys from now on are the palette's own. */
  take(): string {
    this.#isOn = false;
    return this.#text;
  }

  readonly onKey = (event: KeyboardEvent): void => {
    const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!this.#isOn || !isText) return;
    this.#text += event.key;
    event.preventDefault();
    event.stopPropagation();
  };
}

export function useTypedAhead(isOpen: boolean): TypedAhead {
  const [typed] = useState(() => new TypedAhead());
  useEffect(() => {
    if (!isOpen) return undefined;
    typed.begin();
    window.addEventListener('keydown', typed.onKey, true);
    return () => window.removeEventListener('keydown', typed.onKey, true);
  }, [isOpen, typed]);
  return typed;
}
