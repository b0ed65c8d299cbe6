import { useState } from 'react';

const KEY = 'trellis.tour';

/** The steps that this browser's user has done. */
export function useTourSteps() {
  const [done, setDone] = useState<readonly number[]>(readSteps);
  const toggle = (step: number) => {
    const next = done.includes(step) ? done.filter((one) => one !== step) : [...done, step];
    localStorage.setItem(KEY, JSON.stringify(next));
    setDone(next);
  };
  return { done, toggle };
}

function readSteps(): number[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(value) ? value.filter((step) => typeof step === 'number') : [];
  } catch {
    return [];
  }
}
