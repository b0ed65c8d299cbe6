import { useEffect, useRef, useState } from 'react';

interface AnnouncementProps {
  readonly isBusy: boolean;
  /** The last answer, once it is whole. */
  readonly answer: string | undefined;
}

/**
 * For those who do not see the page: that an answer is under way, and then the answer, once and not
 * word by word.
 */
export function Announcement({ isBusy, answer }: AnnouncementProps) {
  const wasBusy = useRef(isBusy);
  const [text, setText] = useState('');
  useEffect(() => {
    if (isBusy) setText('The assistant is answering.');
    else if (wasBusy.current) setText(answer ?? '');
    wasBusy.current = isBusy;
  }, [isBusy, answer]);
  return (
    <p role="status" aria-label="Answer of the assistant" className="sr-only">
      {text}
    </p>
  );
}
