import { type RefObject, useLayoutEffect, useState } from 'react';

/** Rows above and below the screen that are drawn all the same. */
const BEYOND = 8;

interface View {
  /** The first row on the screen. */
  readonly top: number;
  /** As many rows as the screen has. */
  readonly visible: number;
}

/** Which rows of equal height are to be drawn, as a box is scrolled and its size changes. */
export function useScrolledRows(box: RefObject<HTMLDivElement | null>, rowPx: number) {
  const [view, setView] = useState<View>({ top: 0, visible: 20 });
  const onScroll = () => setView((last) => viewOf(box.current, rowPx, last));
  useLayoutEffect(() => {
    const measure = () => setView((last) => viewOf(box.current, rowPx, last));
    measure();
    const observer = new ResizeObserver(measure);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, [box, rowPx]);
  const { top, visible } = view;
  return { first: Math.max(0, top - BEYOND), last: top + visible + BEYOND, visible, onScroll };
}

/** The same object where nothing has changed, so that nothing is drawn again. */
function viewOf(element: HTMLElement | null, rowPx: number, last: View): View {
  if (element === null) return last;
  const top = Math.floor(element.scrollTop / rowPx);
  const visible = Math.ceil(element.clientHeight / rowPx);
  return last.top === top && last.visible === visible ? last : { top, visible };
}
