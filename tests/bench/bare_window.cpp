// The least that a program on LibTorch and Qt does before it shows something: the peer of `headscope --screenshot
// FILE`.
#include <ATen/ATen.h>

#include <QApplication>
#include <QLabel>
#include <QMainWindow>
#include <QTimer>

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  if (argc != 2) {
    qCritical("usage: bare_window FILE.png");
    return 2;
  }
  const double sum = at::ones({64, 64}).sum().item<double>();
  QMainWindow window;
  window.setCentralWidget(new QLabel(QString::number(sum), &window));
  window.resize(1280, 800);
  window.show();
  bool saved = false;
  // Fires after the events that show and paint the window.
  QTimer::singleShot(0, &window, [&] {
    saved = window.grab().save(argv[1]);
    QApplication::quit();
  });
  QApplication::exec();
  return saved ? 0 : 1;
}
