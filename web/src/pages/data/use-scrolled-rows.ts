import { type RefObject, useCallback, useLayoutEffect, useState } from 'react';

/** Rows above and below the screen that are drawn all the same. */
const BEYOND = 8;

/** Which rows of equal height are to be drawn, as a box is scrolled and its size changes. */
export function useScrolledRows(box: RefObject<HTMLDivElement | null>, rowPx: number) {
  const [view, setView] = useState({ top: 0, visible: 20 });
  const onScroll = useCallback(() => {
    const element = box.current;
    if (element === null) return;
    const top = Math.floor(element.scrollTop / rowPx);
    const visible = Math.ceil(element.clientHeight / rowPx);
    setView((last) => (last.top === top && last.visible === visible ? last : { top, visible }));
  }, [box, rowPx]);
  useLayoutEffect(() => {
    onScroll();
    const observer = new ResizeObserver(onScroll);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, [box, onScroll]);
  const { top, visible } = view;
  return { first: Math.max(0, top - BEYOND), last: top + visible + BEYOND, visible, onScroll };
}
