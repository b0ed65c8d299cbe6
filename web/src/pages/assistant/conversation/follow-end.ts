import { useEffect, useRef } from 'react';

const NEAR_END_PIXELS = 120;

/**
 * Keeps the end of the page in view while it grows, unless the reader has scrolled away from it.
 */
export function useFollowEnd(content: unknown): void {
  const isNearEnd = useRef(true);
  useEffect(() => {
    const onScroll = () => {
      const { scrollHeight, scrollTop, clientHeight } = document.documentElement;
      isNearEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PIXELS;
    };
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, []);
  useEffect(() => {
    if (isNearEnd.current) window.scrollTo({ top: document.documentElement.scrollHeight });
  }, [content]);
}
